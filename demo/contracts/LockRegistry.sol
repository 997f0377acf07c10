// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC721x} from "./IERC721x.sol";
import {Signals} from "./Signals.sol";

/// @title ERC721x locks: one per approved contract; a token is unlocked when its last lock is released.
abstract contract LockRegistry is IERC721x, Signals {
    mapping(address => bool) public override approvedContract;
    mapping(uint256 => uint256) public override lockCount;
    mapping(uint256 => mapping(uint256 => address)) public override lockMap;
    mapping(uint256 => mapping(address => uint256)) public override lockMapIndex;

    function _exists(uint256 id) internal view virtual returns (bool);

    function isUnlocked(uint256 id) public view override returns (bool) {
        return lockCount[id] == 0;
    }

    /// @notice Changes who may lock. Emits nothing and releases nothing, as in the reference implementation.
    function updateApprovedContracts(address[] calldata lockers, bool[] calldata approvals) external onlyOwner {
        require(lockers.length == approvals.length, "!length");
        for (uint256 i = 0; i < lockers.length; i++) approvedContract[lockers[i]] = approvals[i];
    }

    function lockId(uint256 id) external override {
        require(_exists(id), "Token !exist");
        require(approvedContract[msg.sender], "Cannot update map");
        require(lockMapIndex[id][msg.sender] == 0, "ID already locked by caller");

        uint256 count = lockCount[id] + 1;
        lockCount[id] = count;
        lockMap[id][count] = msg.sender;
        lockMapIndex[id][msg.sender] = count;
        emit TokenLocked(id, msg.sender);
    }

    function unlockId(uint256 id) external override {
        require(_exists(id), "Token !exist");
        require(approvedContract[msg.sender], "Cannot update map");
        require(lockMapIndex[id][msg.sender] != 0, "ID not locked by caller");

        _release(id, msg.sender);
    }

    /// @notice Releases the lock of a contract that lost its approval; anyone may, or the token would stay locked.
    function freeId(uint256 id, address locker) external override {
        require(_exists(id), "Token !exist");
        require(!approvedContract[locker], "Cannot update map");
        require(lockMapIndex[id][locker] != 0, "ID not locked");

        _release(id, locker);
    }

    function _release(uint256 id, address locker) private {
        uint256 last = lockCount[id];
        uint256 index = lockMapIndex[id][locker];
        if (index != last) {
            address moved = lockMap[id][last];
            lockMap[id][index] = moved;
            lockMapIndex[id][moved] = index;
        }
        delete lockMap[id][last];
        delete lockMapIndex[id][locker];
        lockCount[id] = last - 1;
        emit TokenUnlocked(id, locker);
    }
}
