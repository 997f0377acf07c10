// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalToken} from "./MinimalToken.sol";

/// @title ERC-6982: a default for all tokens, and a separate state for each token that had an event.
contract DefaultLockable is MinimalToken {
    event DefaultLocked(bool locked);
    event Locked(uint256 indexed tokenId, bool locked);

    enum State {
        Default,
        Unlocked,
        Locked
    }

    bool public defaultLocked;
    mapping(uint256 => State) private _states;

    constructor(bool isLocked) {
        setDefaultLocked(isLocked);
    }

    function setDefaultLocked(bool isLocked) public {
        defaultLocked = isLocked;
        emit DefaultLocked(isLocked);
    }

    function setLocked(uint256 id, bool isLocked) external {
        _states[id] = isLocked ? State.Locked : State.Unlocked;
        emit Locked(id, isLocked);
    }

    function locked(uint256 id) public view returns (bool) {
        ownerOf(id);
        return _states[id] == State.Default ? defaultLocked : _states[id] == State.Locked;
    }

    function _move(uint256 id, address to) internal override {
        require(!locked(id), "Locked");
        super._move(id, to);
    }
}
