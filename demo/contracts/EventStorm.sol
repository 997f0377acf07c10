// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Emits an ERC-721 token's typical events in bulk, without state, to measure indexing speed.
contract EventStorm {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event MetadataUpdate(uint256 _tokenId);
    event TokenLocked(uint256 indexed tokenId, address indexed approvedContract);
    event TokenUnlocked(uint256 indexed tokenId, address indexed approvedContract);

    /// Four events per token: minted, updated, locked, unlocked. Tokens spread over 1,000 owners.
    function storm(uint256 first, uint256 count) external {
        for (uint256 id = first; id < first + count; id++) {
            emit Transfer(address(0), address(uint160(0x1000 + (id % 1000))), id);
            emit MetadataUpdate(id);
            emit TokenLocked(id, address(this));
            emit TokenUnlocked(id, address(this));
        }
    }
}
