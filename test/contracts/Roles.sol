// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";

/// @title Has an admin and no `owner()`, as the contracts made from axieinfinity/contract-template.
contract Roles is AccessControl {
    constructor(address admin) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }
}

/// @title Names an owner besides its admin.
contract OwnedRoles is Roles {
    address public immutable owner;

    constructor(address admin, address owner_) Roles(admin) {
        owner = owner_;
    }
}

/// @title Its `owner()` returns no address.
contract LongOwnedRoles is Roles {
    uint256 public constant owner = type(uint256).max;

    constructor(address admin) Roles(admin) {}
}

/// @title Answers every other call with the word 1.
contract AnsweringRoles is Roles {
    constructor(address admin) Roles(admin) {}

    fallback() external {
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}

/// @title A member has every role, the admin's too.
contract Members {
    address private immutable _member;

    constructor(address member) {
        _member = member;
    }

    function hasRole(bytes32, address account) external view returns (bool) {
        return account == _member;
    }
}

/// @title Everybody has the role zero.
contract OpenRoles {
    function hasRole(bytes32 role, address) external pure returns (bool) {
        return role == 0;
    }
}

/// @title Its `hasRole` returns more than whether the account has the role.
contract DatedRoles {
    address private immutable _admin;

    constructor(address admin) {
        _admin = admin;
    }

    function hasRole(bytes32 role, address account) external view returns (uint256, uint256 since) {
        return role == 0 && account == _admin ? (1, since) : (0, since);
    }
}

/// @title Its `hasRole` returns a number of roles.
contract CountedRoles {
    address private immutable _admin;

    constructor(address admin) {
        _admin = admin;
    }

    function hasRole(bytes32 role, address account) external view returns (uint256) {
        return role == 0 && account == _admin ? 2 : 0;
    }
}
