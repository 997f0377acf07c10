// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {IERC721x} from "./IERC721x.sol";
import {LockRegistry} from "./LockRegistry.sol";

/// @title A collection of single heroes: ERC-721 with metadata update events (ERC-4906) and locks (ERC721x).
contract VitrineHeroes is ERC721, LockRegistry, Multicall {
    // ERC-4906 fixes this number; it is not derived from function selectors.
    bytes4 private constant ERC4906_INTERFACE = 0x49064906;

    string private _base;
    mapping(uint256 => string) private _overrides;

    constructor(string memory baseURI) ERC721("Vitrine Heroes", "HERO") Ownable(msg.sender) {
        _base = baseURI;
    }

    function mint(address to, uint256 id) external onlyOwner {
        _mint(to, id);
    }

    function mintRange(address to, uint256 from, uint256 count) external onlyOwner {
        for (uint256 id = from; id < from + count; id++) _mint(to, id);
    }

    /// @notice Burns a token, locked or not. Its lock count stays, so a token minted again is as locked as before.
    function burn(uint256 id) external {
        address holder = _requireOwned(id);
        if (msg.sender != owner()) _checkAuthorized(holder, msg.sender, id);
        delete _overrides[id];
        _burn(id);
    }

    function setBaseURI(string calldata baseURI) external onlyOwner {
        _base = baseURI;
        emit BatchMetadataUpdate(0, type(uint256).max);
    }

    /// @notice Gives one token its own URI; an empty one restores the base URI.
    function setTokenURI(uint256 id, string calldata uri) external onlyOwner {
        _overrides[id] = uri;
        emit MetadataUpdate(id);
    }

    function tokenURI(uint256 id) public view override returns (string memory) {
        _requireOwned(id);
        if (bytes(_overrides[id]).length > 0) return _overrides[id];
        return string.concat(_base, Strings.toString(id));
    }

    // Both forms of safeTransferFrom call this, so one guard covers every public transfer.
    function transferFrom(address from, address to, uint256 id) public override {
        require(isUnlocked(id), "Token is locked");
        super.transferFrom(from, to, id);
    }

    function supportsInterface(bytes4 id) public view override returns (bool) {
        return id == ERC4906_INTERFACE || id == type(IERC721x).interfaceId || super.supportsInterface(id);
    }

    function _exists(uint256 id) internal view override returns (bool) {
        return _ownerOf(id) != address(0);
    }
}
