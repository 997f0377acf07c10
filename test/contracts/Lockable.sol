// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalToken} from "./MinimalToken.sol";

/// @title ERC-5753: a token is locked for an unlocker, whose transfer ends the lock without an event.
contract Lockable is MinimalToken {
    event Lock(address indexed unlocker, uint256 indexed id);
    event Unlock(uint256 indexed id);

    mapping(uint256 => address) private _unlockers;

    function lock(address unlocker, uint256 id) external {
        require(_unlockers[id] == address(0), "Already locked");
        _unlockers[id] = unlocker;
        emit Lock(unlocker, id);
    }

    function unlock(uint256 id) external {
        require(_unlockers[id] == msg.sender, "Not the unlocker");
        delete _unlockers[id];
        emit Unlock(id);
    }

    function getLocked(uint256 id) external view returns (address) {
        ownerOf(id);
        return _unlockers[id];
    }

    function _move(uint256 id, address to) internal override {
        require(_unlockers[id] == address(0) || _unlockers[id] == msg.sender, "Locked");
        super._move(id, to);
        delete _unlockers[id];
    }
}

/// @title ERC-7066: a token is locked for a locker, whose transfer ends the lock without an event.
contract LockerHeroes is MinimalToken {
    event Lock(uint256 indexed tokenId, address _locker);
    event Unlock(uint256 indexed tokenId);

    mapping(uint256 => address) private _lockers;

    function lock(uint256 id, address locker) external {
        require(_lockers[id] == address(0), "Already locked");
        _lockers[id] = locker;
        emit Lock(id, locker);
    }

    function unlock(uint256 id) external {
        require(_lockers[id] == msg.sender, "Not the locker");
        delete _lockers[id];
        emit Unlock(id);
    }

    function lockerOf(uint256 id) external view returns (address) {
        ownerOf(id);
        return _lockers[id];
    }

    function _move(uint256 id, address to) internal override {
        require(_lockers[id] == address(0) || _lockers[id] == msg.sender, "Locked");
        super._move(id, to);
        delete _lockers[id];
    }
}
