// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TokenEvents} from "./StrangeHeroes.sol";

/// @title Tokens of a draft of ERC-721: nothing is indexed, no revert has a reason, and `transferFrom` needs an approval.
abstract contract Draft {
    event Transfer(address from, address to, uint256 tokenId);

    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => address) public approvedFor;
    mapping(uint256 => bool) public isFrozen;

    function mint(address to, uint256 id) external {
        _move(address(0), to, id);
    }

    function freeze(uint256 id) external {
        isFrozen[id] = true;
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(approvedFor[id] == msg.sender && ownerOf[id] == from && !isFrozen[id]);
        _move(from, to, id);
    }

    function _move(address from, address to, uint256 id) internal {
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }
}

/// @title Like CryptoKitties: an owner moves a token by `transfer`.
contract DraftHeroes is Draft {
    function transfer(address to, uint256 id) external virtual {
        require(ownerOf[id] == msg.sender && !isFrozen[id]);
        _move(msg.sender, to, id);
    }
}

/// @title Accepts every call that it has no function for, `transfer` among them.
contract DraftWithFallback is Draft {
    fallback() external payable {}
}

/// @title Its `transfer` does nothing, without a word, where it may not.
contract DraftThatIgnores is DraftHeroes {
    function transfer(address to, uint256 id) external override {
        if (ownerOf[id] == msg.sender && !isFrozen[id]) _move(msg.sender, to, id);
    }
}

/// @title Its `transfer` returns whether it moved the token.
contract DraftThatReturns is Draft {
    function transfer(address to, uint256 id) external returns (bool) {
        require(ownerOf[id] == msg.sender);
        if (isFrozen[id]) return false;
        _move(msg.sender, to, id);
        return true;
    }
}

/// @title Also a coin: its `transfer` moves an amount.
contract DraftWithCoin is Draft {
    mapping(address => uint256) public coins;
    mapping(address => mapping(address => uint256)) public allowance;

    function pay(address to, uint256 amount) external {
        coins[to] += amount;
    }

    function transfer(address to, uint256 amount) external {
        coins[msg.sender] -= amount;
        coins[to] += amount;
    }
}

/// @title Claims the final standard, which has no `transfer`.
contract DraftThatIsFinal is DraftHeroes {
    function transfer(address to, uint256 id) external override {
        require(ownerOf[id] == msg.sender);
        _move(msg.sender, to, id);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x80ac58cd;
    }
}

/// @title Its events are those of the final standard, its functions are not.
contract IndexedDraft is DraftHeroes {
    function announce(address to, uint256 id) external {
        emit TokenEvents.Transfer(address(0), to, id);
    }
}
