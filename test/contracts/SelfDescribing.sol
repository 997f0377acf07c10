// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @title Heroes whose contract describes itself (ERC-7572) and asks for a royalty (ERC-2981).
contract SelfDescribing is ERC721, ERC2981 {
    event ContractURIUpdated();
    event ContractURIUpdated(string newContractURI);

    string private _base;
    string public contractURI;

    constructor(string memory baseURI, address receiver) ERC721("Self Describing", "SELF") {
        _base = baseURI;
        contractURI = string.concat(baseURI, "contract");
        _setDefaultRoyalty(receiver, 500);
    }

    function mintRange(address to, uint256 from, uint256 count) external {
        for (uint256 id = from; id < from + count; id++) _mint(to, id);
    }

    function describe(string calldata uri, address receiver, uint96 share) external {
        contractURI = uri;
        _setDefaultRoyalty(receiver, share);
        emit ContractURIUpdated();
    }

    /// @notice As in SeaDrop.
    function setContractURI(string calldata uri) external {
        contractURI = uri;
        emit ContractURIUpdated(uri);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        return string.concat(_base, Strings.toString(id));
    }

    function supportsInterface(bytes4 id) public view override(ERC721, ERC2981) returns (bool) {
        return super.supportsInterface(id);
    }
}
