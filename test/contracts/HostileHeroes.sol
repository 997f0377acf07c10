// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// Each id's transfer fails in a different way.
contract HostileHeroes is ERC721 {
    error Unheard(uint256 id);

    uint256 private burned;
    uint256[] private nothing;

    constructor() ERC721("Hostile Heroes", "HHERO") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function transferFrom(address from, address to, uint256 id) public override {
        if (id == 1) while (true) burned++;
        if (id == 2) revert(longText());
        if (id == 3) nothing[id];
        if (id == 4) revert Unheard(id);
        if (id == 5) revert();
        if (id == 6) assembly { invalid() }
        // A reason with an absurd declared length, and one of two bytes.
        if (id == 7) assembly {
            mstore(0, shl(224, 0x08c379a0))
            mstore(4, 0x20)
            mstore(36, not(0))
            revert(0, 68)
        }
        if (id == 8) assembly { revert(0, 2) }
        // More data than any client reads, as a reason and as an answer.
        if (id == 9) assembly { revert(0, 1000000) }
        if (id == 10) assembly { return(0, 1000000) }
        super.transferFrom(from, to, id);
    }

    /// 10 kB of the alphabet in colours, right to left, with line and page breaks.
    function longText() private pure returns (string memory) {
        bytes memory text = new bytes(10_000);
        bytes memory part = unicode"\u001b[31mabc\u202e<b>\n\u0000\u0007\u200b";
        for (uint256 at = 0; at < text.length; at++) text[at] = part[at % part.length];
        return string(text);
    }
}
