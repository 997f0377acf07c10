// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// Names like Ronin's: once expired nobody owns them, though no event says so.
contract ExpiringNames is ERC721 {
    mapping(uint256 id => uint256) public endOf;

    constructor() ERC721("Expiring Names", "NAME") {}

    function mint(address to, uint256 id, uint256 end) external {
        endOf[id] = end;
        _mint(to, id);
    }

    function renew(uint256 id, uint256 end) external {
        endOf[id] = end;
    }

    function ownerOf(uint256 id) public view override returns (address) {
        return block.timestamp > endOf[id] ? address(0) : super.ownerOf(id);
    }

    function transferFrom(address from, address to, uint256 id) public override {
        require(ownerOf(id) == msg.sender, "ERC721: caller is not token owner or approved");
        super.transferFrom(from, to, id);
    }
}
