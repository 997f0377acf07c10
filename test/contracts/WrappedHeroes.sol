// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title As a wrapper whose URIs are those of the collection that it wraps: they answer for tokens that it never made.
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
