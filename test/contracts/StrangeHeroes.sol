// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Tokens with owners and nothing else. Derived contracts emit the transfers.
abstract contract Owned {
    mapping(uint256 => address) internal _owners;

    function ownerOf(uint256 id) public view virtual returns (address owner) {
        owner = _owners[id];
        require(owner != address(0), "No such token");
    }

    function mint(address to, uint256 id) external {
        _move(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(from == msg.sender && ownerOf(id) == from, "Not yours");
        _move(from, to, id);
    }

    function burn(uint256 id) external {
        require(ownerOf(id) == msg.sender, "Not yours");
        _move(msg.sender, address(0), id);
    }

    function _move(address from, address to, uint256 id) internal virtual {
        _owners[id] = to;
        _tell(from, to, id);
    }

    function _tell(address from, address to, uint256 id) internal virtual;
}

/// @title Like AxieCore: the id of a transfer is not indexed.
contract AxieLike is Owned {
    event Transfer(address indexed from, address indexed to, uint256 tokenId);

    function _tell(address from, address to, uint256 id) internal override {
        emit Transfer(from, to, id);
    }
}

/// @title Like CryptoKitties: nothing is indexed.
contract KittyLike is Owned {
    event Transfer(address from, address to, uint256 tokenId);

    function _tell(address from, address to, uint256 id) internal override {
        emit Transfer(from, to, id);
    }
}

library CoinEvents {
    event Transfer(address indexed from, address indexed to, uint256 amount);
}

library TokenEvents {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
}

/// @title Like ERC-404: a coin and a collection whose transfers share one topic.
contract CoinAndHeroes is Owned {
    constructor(address holder, uint256 supply) {
        emit CoinEvents.Transfer(address(0), holder, supply);
    }

    function pay(address to, uint256 amount) external {
        emit CoinEvents.Transfer(msg.sender, to, amount);
    }

    function _tell(address from, address to, uint256 id) internal override {
        emit CoinEvents.Transfer(from, to, 1e18);
        emit TokenEvents.Transfer(from, to, id);
    }
}

/// @title Like The Sandbox's assets: each transfer of a token is reported by both standards.
contract AssetLike is Owned {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    function _tell(address from, address to, uint256 id) internal override {
        emit TokenEvents.Transfer(from, to, id);
        emit TransferSingle(msg.sender, from, to, id, 1);
    }
}

/// @title ERC-2309 mints of any size, with one event each.
contract RangeHeroes is Owned {
    struct Range {
        uint256 from;
        uint256 to;
        address holder;
    }

    event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress);
    event TokenLocked(uint256 indexed tokenId, address indexed approvedContract);

    Range[] private _ranges;
    mapping(uint256 => bool) private _isMoved;

    function mintConsecutive(address holder, uint256 from, uint256 to) external {
        _ranges.push(Range(from, to, holder));
        emit ConsecutiveTransfer(from, to, address(0), holder);
    }

    function lockId(uint256 id) external {
        emit TokenLocked(id, msg.sender);
    }

    function ownerOf(uint256 id) public view override returns (address) {
        if (_isMoved[id]) return super.ownerOf(id);
        for (uint256 i = 0; i < _ranges.length; i++) {
            if (id >= _ranges[i].from && id <= _ranges[i].to) return _ranges[i].holder;
        }
        revert("No such token");
    }

    function _move(address from, address to, uint256 id) internal override {
        _isMoved[id] = true;
        super._move(from, to, id);
    }

    function _tell(address from, address to, uint256 id) internal override {
        emit TokenEvents.Transfer(from, to, id);
    }
}

/// @title Emits any log.
contract RawLogs {
    function emitLog(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory content = data;
        bytes32[4] memory t;
        for (uint256 i = 0; i < topics.length; i++) t[i] = topics[i];
        uint256 count = topics.length;
        assembly {
            let start := add(content, 32)
            let size := mload(content)
            switch count
            case 1 { log1(start, size, mload(t)) }
            case 2 { log2(start, size, mload(t), mload(add(t, 32))) }
            case 3 { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
            default { log4(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
        }
    }
}
