// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalToken} from "./MinimalToken.sol";

/// @title ERC-5192: a token is bound to its owner while it is locked.
contract Soulbound is MinimalToken {
    event Locked(uint256 tokenId);
    event Unlocked(uint256 tokenId);

    mapping(uint256 => bool) private _locked;

    function mintLocked(address to, uint256 id) external {
        mint(to, id);
        setLocked(id, true);
    }

    function setLocked(uint256 id, bool isLocked) public {
        _locked[id] = isLocked;
        if (isLocked) emit Locked(id);
        else emit Unlocked(id);
    }

    /// @notice Locks without an event.
    function lockSilently(uint256 id) external {
        _locked[id] = true;
    }

    function locked(uint256 id) external view returns (bool) {
        ownerOf(id);
        return _locked[id];
    }

    function _move(uint256 id, address to) internal override {
        require(!_locked[id], "Soulbound");
        super._move(id, to);
    }
}
