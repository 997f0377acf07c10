// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title Heroes whose URIs change without an event, as Sky Mavis' ERC721Common and OpenZeppelin 4.8's ERC721URIStorage do.
contract SilentHeroes is ERC721 {
    string private _base;
    mapping(uint256 => string) private _overrides;

    constructor(string memory baseURI) ERC721("Silent Heroes", "SILENT") {
        _base = baseURI;
    }

    function mintRange(address to, uint256 from, uint256 count) external {
        for (uint256 id = from; id < from + count; id++) _mint(to, id);
    }

    function setBaseURI(string calldata baseURI) external {
        _base = baseURI;
    }

    function setTokenURI(uint256 id, string calldata uri) external {
        _overrides[id] = uri;
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        if (bytes(_overrides[id]).length > 0) return _overrides[id];
        return string.concat(_base, Strings.toString(id));
    }
}
