// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Pausable} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Pausable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Pausable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Pausable.sol";

contract PausableHeroes is ERC721Pausable {
    constructor() ERC721("Pausable Heroes", "PHERO") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }
}

contract PausableItems is ERC1155Pausable {
    constructor() ERC1155("") {}

    function mint(address to, uint256 id, uint256 amount) external {
        _mint(to, id, amount, "");
    }

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }
}
