// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";

/// @title The events a marketplace listens to, and owner functions that emit them without a cause.
/// @notice Real collections emit events that contradict their state (an unlock that nothing locked, an inverted
/// range). The raw functions let anyone watch how the service copes.
abstract contract Signals is Ownable {
    // ERC-4906 leaves every parameter unindexed; an indexed one would keep the topic and break decoding.
    event MetadataUpdate(uint256 _tokenId);
    event BatchMetadataUpdate(uint256 _fromTokenId, uint256 _toTokenId);
    event TokenLocked(uint256 indexed tokenId, address indexed approvedContract);
    event TokenUnlocked(uint256 indexed tokenId, address indexed approvedContract);

    function emitMetadataUpdate(uint256 id) external onlyOwner {
        emit MetadataUpdate(id);
    }

    function emitBatchMetadataUpdate(uint256 from, uint256 to) external onlyOwner {
        emit BatchMetadataUpdate(from, to);
    }

    /// @notice Emits a lock that no counter records.
    function emitRawLock(uint256 id, address approvedContract) external onlyOwner {
        emit TokenLocked(id, approvedContract);
    }

    /// @notice Emits an unlock without an earlier lock.
    function emitRawUnlock(uint256 id, address approvedContract) external onlyOwner {
        emit TokenUnlocked(id, approvedContract);
    }
}
