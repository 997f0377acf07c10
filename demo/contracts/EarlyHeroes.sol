// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title An early collection: ERC-2309 mints of any size, and metadata events of the ERC-4906 draft.
contract EarlyHeroes {
    struct Range {
        uint256 from;
        uint256 to;
        address holder;
    }

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress);
    // The draft indexed the ids that the final standard does not: the same topics in another layout.
    event MetadataUpdate(uint256 indexed _tokenId);
    event BatchMetadataUpdate(uint256 indexed _fromTokenId, uint256 indexed _toTokenId);

    mapping(address => uint256) public balanceOf;
    Range[] private _ranges;
    mapping(uint256 => address) private _moved;

    /// @notice Mints a range, both ends included, with one event. Its size is unlimited, as in ERC-2309.
    function mintConsecutive(address holder, uint256 from, uint256 to) external {
        _ranges.push(Range(from, to, holder));
        balanceOf[holder] += to - from + 1;
        emit ConsecutiveTransfer(from, to, address(0), holder);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(from == msg.sender && ownerOf(id) == from, "Not yours");
        _moved[id] = to;
        balanceOf[from]--;
        balanceOf[to]++;
        emit Transfer(from, to, id);
    }

    function ownerOf(uint256 id) public view returns (address) {
        if (_moved[id] != address(0)) return _moved[id];
        for (uint256 i = 0; i < _ranges.length; i++) {
            if (id >= _ranges[i].from && id <= _ranges[i].to) return _ranges[i].holder;
        }
        revert("No such token");
    }

    function emitMetadataUpdate(uint256 id) external {
        emit MetadataUpdate(id);
    }

    /// @notice Emits a log that fits the draft's layout by its topic and the final one by its data.
    function emitTwofoldMetadataUpdate(uint256 id) external {
        bytes32 topic = MetadataUpdate.selector;
        assembly {
            mstore(0, id)
            log2(0, 32, topic, id)
        }
    }

    function emitBatchMetadataUpdate(uint256 from, uint256 to) external {
        emit BatchMetadataUpdate(from, to);
    }
}
