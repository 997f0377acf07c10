// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {Signals} from "./Signals.sol";

/// @title A collection of stackable items: ERC-1155 with one `{id}` template and a URI of its own where one is set.
contract VitrineItems is ERC1155, Signals {
    mapping(uint256 => string) private _overrides;

    constructor(string memory template) ERC1155(template) Ownable(msg.sender) {}

    function mint(address to, uint256 id, uint256 amount) external onlyOwner {
        _mint(to, id, amount, "");
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata amounts) external onlyOwner {
        _mintBatch(to, ids, amounts, "");
    }

    function burn(address from, uint256 id, uint256 amount) external {
        bool allowed = msg.sender == from || msg.sender == owner() || isApprovedForAll(from, msg.sender);
        if (!allowed) revert ERC1155MissingApprovalForAll(msg.sender, from);
        _burn(from, id, amount);
    }

    /// @notice Replaces the template. No event: ERC-1155 has none for all ids.
    function setURI(string calldata template) external onlyOwner {
        _setURI(template);
    }

    /// @notice Gives one id its own URI; an empty one restores the template.
    function setTokenURI(uint256 id, string calldata value) external onlyOwner {
        _overrides[id] = value;
        emit URI(uri(id), id);
    }

    function uri(uint256 id) public view override returns (string memory) {
        if (bytes(_overrides[id]).length > 0) return _overrides[id];
        return super.uri(id);
    }
}
