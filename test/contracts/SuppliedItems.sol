// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";

/// @title An ERC-1155 with a URI for any id, a supply for each, and no `exists`.
contract SuppliedItems is ERC1155 {
    mapping(uint256 => uint256) public totalSupply;

    constructor(string memory template) ERC1155(template) {}

    function mint(address to, uint256 id, uint256 amount) external {
        totalSupply[id] += amount;
        _mint(to, id, amount, "");
    }
}
