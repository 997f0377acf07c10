// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// The policy that an ERC-721C collection calls before each transfer.
contract TransferPolicy {
    error CreatorTokenTransferValidator__CallerMustBeWhitelisted();
    error CreatorTokenTransferValidator__SenderAccountIsFrozen();

    mapping(address caller => bool) public isWhitelisted;
    mapping(address account => bool) public isFrozen;

    function whitelist(address caller, bool yes) external {
        isWhitelisted[caller] = yes;
    }

    function freeze(address account, bool yes) external {
        isFrozen[account] = yes;
    }

    function validateTransfer(address caller, address from, address, uint256) external view {
        if (isFrozen[from]) revert CreatorTokenTransferValidator__SenderAccountIsFrozen();
        if (!isWhitelisted[caller]) revert CreatorTokenTransferValidator__CallerMustBeWhitelisted();
    }
}

contract PolicyHeroes is ERC721 {
    TransferPolicy public immutable policy;

    constructor(TransferPolicy policy_) ERC721("Policy Heroes", "CHERO") {
        policy = policy_;
    }

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function _update(address to, uint256 id, address auth) internal override returns (address) {
        address from = _ownerOf(id);
        if (from != address(0)) policy.validateTransfer(msg.sender, from, to, id);
        return super._update(to, id, auth);
    }
}
