// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";
import {StorageSlot} from "@openzeppelin/contracts/utils/StorageSlot.sol";

/// @title Runs another contract's code, whether there is any or not: a delegatecall to an address without code succeeds.
contract ForwardingProxy {
    constructor(address implementation) {
        upgradeTo(implementation);
    }

    function upgradeTo(address implementation) public {
        StorageSlot.getAddressSlot(ERC1967Utils.IMPLEMENTATION_SLOT).value = implementation;
    }

    fallback() external payable {
        (bool isDone, bytes memory answer) = ERC1967Utils.getImplementation().delegatecall(msg.data);
        assembly {
            switch isDone
            case 0 { revert(add(answer, 32), mload(answer)) }
            default { return(add(answer, 32), mload(answer)) }
        }
    }
}

/// @title Answers every call with one and the same word.
contract Parrot {
    uint256 private immutable _word;

    constructor(uint256 word) {
        _word = word;
    }

    fallback() external payable {
        uint256 word = _word;
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}
