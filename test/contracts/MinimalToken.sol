// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title A minimal ERC-721 for indexing and locks.
abstract contract MinimalToken {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    mapping(uint256 => address) internal _owners;

    function mint(address to, uint256 id) public virtual {
        require(_owners[id] == address(0), "Token exists");
        _owners[id] = to;
        emit Transfer(address(0), to, id);
    }

    function burn(uint256 id) external {
        _move(id, address(0));
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(_owners[id] == from && to != address(0), "Wrong owner or receiver");
        _move(id, to);
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = _owners[id];
        require(owner != address(0), "No such token");
    }

    /// @notice Nobody listens there: the token exists, but has no document.
    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        return "http://127.0.0.1:1/token.json";
    }

    function _move(uint256 id, address to) internal virtual {
        emit Transfer(ownerOf(id), to, id);
        _owners[id] = to;
    }
}
