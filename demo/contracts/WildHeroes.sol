// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Locks of some games: a token is locked or not, whoever locked it, without a count.
contract WildHeroes {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event TokenLocked(uint256 indexed tokenId, address indexed approvedContract);
    event TokenUnlocked(uint256 indexed tokenId, address indexed approvedContract);

    mapping(uint256 => address) private _owners;
    mapping(uint256 => bool) private _locked;

    function mint(address to, uint256 id) external {
        _owners[id] = to;
        emit Transfer(address(0), to, id);
    }

    /// @notice Burns a token, locked or not; isUnlocked then reverts.
    function burn(uint256 id) external {
        emit Transfer(_owners[id], address(0), id);
        delete _owners[id];
    }

    /// @notice Emits even when the token is locked already.
    function lock(uint256 id) external {
        _locked[id] = true;
        emit TokenLocked(id, msg.sender);
    }

    /// @notice Emits even when the token is not locked.
    function unlock(uint256 id) external {
        _locked[id] = false;
        emit TokenUnlocked(id, msg.sender);
    }

    /// @notice Locks without an event.
    function lockSilently(uint256 id) external {
        _locked[id] = true;
    }

    function isUnlocked(uint256 id) external view returns (bool) {
        require(_owners[id] != address(0), "No such token");
        return !_locked[id];
    }
}
