// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The delegate.xyz registry, version 2: same events, hashes, writes and checks, simpler storage.
/// @notice Every write emits, even when it changes nothing, because the deployed registry does.
contract DelegateRegistryV2 {
    enum DelegationType { NONE, ALL, CONTRACT, ERC721, ERC20, ERC1155 }

    struct Delegation {
        DelegationType type_;
        address to;
        address from;
        bytes32 rights;
        address contract_;
        uint256 tokenId;
        uint256 amount;
    }

    struct Entry {
        bool known;
        bool enabled;
        Delegation delegation;
    }

    event DelegateAll(address indexed from, address indexed to, bytes32 rights, bool enable);
    event DelegateContract(address indexed from, address indexed to, address indexed contract_, bytes32 rights, bool enable);
    event DelegateERC721(address indexed from, address indexed to, address indexed contract_, uint256 tokenId, bytes32 rights, bool enable);
    event DelegateERC20(address indexed from, address indexed to, address indexed contract_, bytes32 rights, uint256 amount);
    event DelegateERC1155(address indexed from, address indexed to, address indexed contract_, uint256 tokenId, bytes32 rights, uint256 amount);

    error MulticallFailed();

    mapping(bytes32 => Entry) private _entries;
    mapping(address => bytes32[]) private _incoming;
    mapping(address => bytes32[]) private _outgoing;

    /// @notice Runs several writes as one transaction; each keeps the caller as `from`.
    function multicall(bytes[] calldata data) external payable returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i = 0; i < data.length; i++) {
            bool success;
            // A delegatecall to itself keeps msg.sender, which becomes `from`.
            (success, results[i]) = address(this).delegatecall(data[i]);
            if (!success) revert MulticallFailed();
        }
    }

    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32 hash) {
        hash = _store(Delegation(DelegationType.ALL, to, msg.sender, rights, address(0), 0, 0), enable);
        emit DelegateAll(msg.sender, to, rights, enable);
    }

    function delegateContract(address to, address contract_, bytes32 rights, bool enable) external payable returns (bytes32 hash) {
        hash = _store(Delegation(DelegationType.CONTRACT, to, msg.sender, rights, contract_, 0, 0), enable);
        emit DelegateContract(msg.sender, to, contract_, rights, enable);
    }

    function delegateERC721(address to, address contract_, uint256 tokenId, bytes32 rights, bool enable) external payable returns (bytes32 hash) {
        hash = _store(Delegation(DelegationType.ERC721, to, msg.sender, rights, contract_, tokenId, 0), enable);
        emit DelegateERC721(msg.sender, to, contract_, tokenId, rights, enable);
    }

    /// @notice A positive amount enables and overwrites the amount; zero revokes.
    function delegateERC20(address to, address contract_, bytes32 rights, uint256 amount) external payable returns (bytes32 hash) {
        hash = _store(Delegation(DelegationType.ERC20, to, msg.sender, rights, contract_, 0, amount), amount > 0);
        emit DelegateERC20(msg.sender, to, contract_, rights, amount);
    }

    /// @notice A positive amount enables and overwrites the amount; zero revokes.
    function delegateERC1155(address to, address contract_, uint256 tokenId, bytes32 rights, uint256 amount) external payable returns (bytes32 hash) {
        hash = _store(Delegation(DelegationType.ERC1155, to, msg.sender, rights, contract_, tokenId, amount), amount > 0);
        emit DelegateERC1155(msg.sender, to, contract_, tokenId, rights, amount);
    }

    function checkDelegateForAll(address to, address from, bytes32 rights) external view returns (bool) {
        return _all(to, from, "") || (rights != "" && _all(to, from, rights));
    }

    function checkDelegateForContract(address to, address from, address contract_, bytes32 rights) external view returns (bool) {
        return _whole(to, from, contract_, "") || (rights != "" && _whole(to, from, contract_, rights));
    }

    function checkDelegateForERC721(address to, address from, address contract_, uint256 tokenId, bytes32 rights) external view returns (bool) {
        return _token(to, from, contract_, tokenId, "") || (rights != "" && _token(to, from, contract_, tokenId, rights));
    }

    function checkDelegateForERC20(address to, address from, address contract_, bytes32 rights) external view returns (uint256 amount) {
        amount = _allowance(DelegationType.ERC20, to, from, contract_, 0, "");
        if (rights != "") amount = _max(amount, _allowance(DelegationType.ERC20, to, from, contract_, 0, rights));
    }

    function checkDelegateForERC1155(address to, address from, address contract_, uint256 tokenId, bytes32 rights) external view returns (uint256 amount) {
        amount = _allowance(DelegationType.ERC1155, to, from, contract_, tokenId, "");
        if (rights != "") amount = _max(amount, _allowance(DelegationType.ERC1155, to, from, contract_, tokenId, rights));
    }

    function getIncomingDelegations(address to) external view returns (Delegation[] memory) {
        return _enabled(_incoming[to]);
    }

    function getOutgoingDelegations(address from) external view returns (Delegation[] memory) {
        return _enabled(_outgoing[from]);
    }

    function _store(Delegation memory delegation, bool enable) private returns (bytes32 hash) {
        hash = _hash(delegation);
        Entry storage entry = _entries[hash];
        // Revoking what never existed leaves no trace but its event; enabling again reuses the first entry.
        if (!entry.known && !enable) return hash;
        if (!entry.known) {
            _incoming[delegation.to].push(hash);
            _outgoing[delegation.from].push(hash);
        }
        entry.known = true;
        entry.enabled = enable;
        entry.delegation = delegation;
    }

    function _hash(Delegation memory d) private pure returns (bytes32) {
        bytes memory packed = abi.encodePacked(d.rights, d.from, d.to);
        if (d.type_ != DelegationType.ALL) packed = abi.encodePacked(packed, d.contract_);
        if (d.type_ == DelegationType.ERC721 || d.type_ == DelegationType.ERC1155) {
            packed = abi.encodePacked(packed, d.tokenId);
        }
        return bytes32((uint256(keccak256(packed)) << 8) | uint256(d.type_));
    }

    function _find(DelegationType type_, address to, address from, address contract_, uint256 tokenId, bytes32 rights) private view returns (Entry storage) {
        return _entries[_hash(Delegation(type_, to, from, rights, contract_, tokenId, 0))];
    }

    function _all(address to, address from, bytes32 rights) private view returns (bool) {
        return _isWallet(from) && _find(DelegationType.ALL, to, from, address(0), 0, rights).enabled;
    }

    function _whole(address to, address from, address contract_, bytes32 rights) private view returns (bool) {
        if (_all(to, from, rights)) return true;
        return _isWallet(from) && _find(DelegationType.CONTRACT, to, from, contract_, 0, rights).enabled;
    }

    function _token(address to, address from, address contract_, uint256 tokenId, bytes32 rights) private view returns (bool) {
        if (_whole(to, from, contract_, rights)) return true;
        return _isWallet(from) && _find(DelegationType.ERC721, to, from, contract_, tokenId, rights).enabled;
    }

    function _allowance(DelegationType type_, address to, address from, address contract_, uint256 tokenId, bytes32 rights) private view returns (uint256) {
        if (_whole(to, from, contract_, rights)) return type(uint256).max;
        if (!_isWallet(from)) return 0;
        return _find(type_, to, from, contract_, tokenId, rights).delegation.amount;
    }

    // The deployed registry marks empty and revoked slots with 0x0 and 0x1, so it never lets those two delegate.
    function _isWallet(address from) private pure returns (bool) {
        return uint160(from) > 1;
    }

    function _max(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a : b;
    }

    function _enabled(bytes32[] storage hashes) private view returns (Delegation[] memory found) {
        uint256 count = 0;
        for (uint256 i = 0; i < hashes.length; i++) if (_entries[hashes[i]].enabled) count++;
        found = new Delegation[](count);
        for (uint256 i = 0; i < hashes.length; i++) {
            Entry storage entry = _entries[hashes[i]];
            if (entry.enabled) found[found.length - count--] = entry.delegation;
        }
    }
}
