// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title A wrapper with the URIs of the wrapped collection: it has URIs for tokens that it never minted.
contract WrappedHeroes is ERC721 {
    string private _base;

    constructor(string memory base) ERC721("Wrapped Heroes", "WH") {
        _base = base;
    }

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        return string.concat(_base, Strings.toString(id));
    }
}
