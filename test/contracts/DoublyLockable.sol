// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalToken} from "./MinimalToken.sol";

/// @title Two standards at once: counted locks of games (ERC-721x), and soulbound by the creator (ERC-5192).
contract DoublyLockable is MinimalToken {
    event TokenLocked(uint256 indexed tokenId, address indexed approvedContract);
    event TokenUnlocked(uint256 indexed tokenId, address indexed approvedContract);
    event Locked(uint256 tokenId);
    event Unlocked(uint256 tokenId);

    mapping(uint256 => uint256) public lockCount;
    mapping(uint256 => bool) public locked;

    function lockId(uint256 id) external {
        lockCount[id]++;
        emit TokenLocked(id, msg.sender);
    }

    function unlockId(uint256 id) external {
        lockCount[id]--;
        emit TokenUnlocked(id, msg.sender);
    }

    function setLocked(uint256 id, bool isLocked) external {
        locked[id] = isLocked;
        if (isLocked) emit Locked(id);
        else emit Unlocked(id);
    }

    function _move(uint256 id, address to) internal override {
        require(lockCount[id] == 0 && !locked[id], "Locked");
        super._move(id, to);
    }
}
