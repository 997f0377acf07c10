// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The ERC721x lock interface; its ERC-165 id is 0x706e8489.
interface IERC721x {
    function isUnlocked(uint256 id) external view returns (bool);

    function lockCount(uint256 id) external view returns (uint256);

    function approvedContract(address locker) external view returns (bool);

    /// @notice The lockers of a token by position, counted from 1.
    function lockMap(uint256 id, uint256 index) external view returns (address);

    /// @notice The position of a locker; 0 without a lock.
    function lockMapIndex(uint256 id, address locker) external view returns (uint256);

    function lockId(uint256 id) external;

    function unlockId(uint256 id) external;

    function freeId(uint256 id, address locker) external;
}
