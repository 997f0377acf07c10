// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MinimalToken} from "./MinimalToken.sol";

/// @title Emits any log, as contracts do that index other arguments than a standard's text.
contract RawLogs is MinimalToken {
    function emitLog(bytes32[] calldata topics, bytes memory data) external {
        assembly {
            let start := add(data, 0x20)
            let size := mload(data)
            let first := topics.offset
            switch topics.length
            case 1 { log1(start, size, calldataload(first)) }
            case 2 { log2(start, size, calldataload(first), calldataload(add(first, 0x20))) }
            case 3 {
                log3(start, size, calldataload(first), calldataload(add(first, 0x20)), calldataload(add(first, 0x40)))
            }
            default { revert(0, 0) }
        }
    }
}
