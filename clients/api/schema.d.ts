// Made from docs/openapi.json by `npm run openapi`.
export interface paths {
    "/.well-known/openid-configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The issuer of the identities of runs, as OpenID Connect Discovery has it
         * @description 404 while the service has no public address.
         */
        get: operations["discoverIssuer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the caller is */
        get: operations["whoAmI"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The platform's providers */
        get: operations["listSignInProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/orgs/{handle}/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The providers of one organization
         * @description Empty also when there is no such organization.
         */
        get: operations["listOrganizationSignInProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/{provider_key}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign in at a provider of the platform */
        get: operations["startSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/orgs/{handle}/sources/{slug}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sign in at an organization's own provider */
        get: operations["startOrganizationSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where every provider sends the browser back to */
        get: operations["finishSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/{provider_key}/link/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add another identity to yourself
         * @description By session only. For an organization's own provider, `oidc` with `org` (its login handle, of an organization that you are in) and `source`. The browser goes to `authorization_url`, and comes back to a page that names issuer and login. Nothing is linked before you agree there. A super-admin has to have signed in within the last ten minutes.
         */
        post: operations["startLinking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sso/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page that asks before a sign-in counts */
        get: operations["showConfirmationPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sign-in-confirmations/{confirmation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a provider answered and waits for your word
         * @description By session only, and only in the session that it came to. It waits for ten minutes.
         */
        get: operations["getSignInConfirmation"];
        put?: never;
        /**
         * Link the identity, or sign in as somebody else
         * @description By session only. Works once.
         */
        post: operations["confirmSignIn"];
        /**
         * Change nothing
         * @description By session only.
         */
        delete: operations["declineSignIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what you can sign in with */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/identities/{identity_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink one of your identities
         * @description By session only. Ends the sessions that were begun with it, and the groups and memberships that came through it. The last one that you can sign in with stays.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List identity sources */
        get: operations["listIdentitySources"];
        put?: never;
        /**
         * Add an identity source
         * @description An OIDC issuer is asked for its configuration before anything is stored. The client secret is write-only.
         */
        post: operations["createIdentitySource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a source */
        get: operations["getIdentitySource"];
        /**
         * Replace a source's settings
         * @description An absent client secret stays, unless the issuer changes.
         */
        put: operations["replaceIdentitySource"];
        post?: never;
        /** Delete a source; its grants end at once */
        delete: operations["deleteIdentitySource"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the issuer for its configuration now
         * @description By session only. Nothing is asked for a provider that the operator configures.
         */
        post: operations["testIdentitySource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/proofs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the domains and organizations of the code host that are proven, or wait for it */
        get: operations["listProofs"];
        put?: never;
        /**
         * Name a domain, or an organization of the code host, that is yours
         * @description A domain is proven by the TXT record of the answer and `checkProof`, an organization of the code host by `checkProof` where an integration has its own app, either by the operator's approval.
         */
        post: operations["createProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/proofs/{proof_id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for the TXT record, or for the installed app, now
         * @description 409 while it is not there.
         */
        post: operations["checkProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/proofs/{proof_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a proof back; its rules invite from then on */
        delete: operations["deleteProof"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End this session */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List where you are signed in */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Sign out everywhere
         * @description By session only. Ends all your sessions, this one too; your tokens go on.
         */
        delete: operations["endSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of your sessions
         * @description By session only.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page on which a person lets a program in */
        get: operations["showDevicePage"];
        put?: never;
        /**
         * Ask for a token that a person is to allow elsewhere
         * @description RFC 8628 with bodies in JSON. Show the person `verification_uri` and `user_code`, then collect.
         */
        post: operations["beginDeviceLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/device/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Collect the token
         * @description 400 `authorization_pending`: ask again after `interval` seconds. `slow_down`: and five seconds later from now on. `access_denied`, `expired_token` and `invalid_grant` are final. The token is handed out once.
         */
        post: operations["collectDeviceToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/device-logins/{user_code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which program asks for access, and from where
         * @description By session only. It waits for ten minutes, until somebody answers.
         */
        get: operations["getDeviceLogin"];
        put?: never;
        /**
         * Let it act as you in one organization
         * @description By session only. It gets a personal token of 90 days, named after the program and its machine.
         */
        post: operations["approveDeviceLogin"];
        /**
         * Tell it no
         * @description By session only.
         */
        delete: operations["denyDeviceLogin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your tokens, without their values */
        get: operations["listPersonalTokens"];
        put?: never;
        /**
         * Create a personal token; its value is in this answer only
         * @description By session only. The token acts as you, in this one organization.
         */
        post: operations["createPersonalToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete one of your tokens */
        delete: operations["deletePersonalToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List everybody who has signed in
         * @description For super-admins, by session.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a person, with their identities and how many sessions and tokens they hold
         * @description For super-admins, by session.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a person
         * @description Ends their sessions, their personal tokens, every service account token they minted and the invitations they gave.
         */
        post: operations["disableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a disabled person sign in again */
        post: operations["enableUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/force-logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all that a person holds now
         * @description The same as disabling, but they may sign in again at once.
         */
        post: operations["forceLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/v1/orgs/{org_id}/rebuild-metadata": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compute everything derived of an organization anew
         * @description Enqueues three independent background tasks: dependency graph, resource index, findings. They may end in any order.
         */
        post: operations["rebuildMetadata"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organizations that the caller belongs to
         * @description A super-admin sees all of them, a service account its own.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create an organization
         * @description Any person may by session, and becomes its Admin. 409 quota_reached when they have created as many as one may.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organization */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an organization
         * @description max_users and runs_per_hour_limit can be set by super-admins only.
         */
        patch: operations["changeOrganization"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members */
        get: operations["listMembers"];
        put?: never;
        /**
         * Make somebody who has signed in before a member
         * @description Somebody who is in no other organization where the caller may add members is asked first; a super-admin adds at once. 409 seat_limit when all seats are taken. Adding a member again changes nothing.
         */
        post: operations["addMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/members/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a membership with the person's tokens, roles and invitations here
         * @description Tokens of service accounts that they minted end too. With `service_account_tokens=keep` they go on in the name of the caller, who needs (service_account, update) as well.
         */
        delete: operations["revokeMember"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the invitations that wait */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Pre-approve somebody by the login or e-mail they will sign in with
         * @description Roles can be given only by who may assign roles and holds all they confer.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/invitations/{invitation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an invitation */
        get: operations["getInvitation"];
        /** Replace an invitation's roles and its end, counted from now */
        put: operations["replaceInvitation"];
        post?: never;
        /** Take an invitation back */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/membership-offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the organizations that you may join
         * @description By session only.
         */
        get: operations["listMembershipOffers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/membership-offers/{offer_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join
         * @description By session only. 409 seat_limit when all seats are taken; the offer stays.
         */
        post: operations["acceptMembershipOffer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/membership-offers/{offer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Decline
         * @description By session only.
         */
        delete: operations["declineMembershipOffer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the system roles and the organization's own */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description Only within what the caller holds: no permission is handed on that they do not have.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a role */
        get: operations["getRole"];
        /**
         * Replace a role's name and permissions, for all who hold it
         * @description Only within what the caller holds: no permission is handed on that they do not have. System roles cannot be changed.
         */
        put: operations["replaceRole"];
        post?: never;
        /** Delete a role and take it from all who hold it */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/role-assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List who has which role directly */
        get: operations["listRoleAssignments"];
        put?: never;
        /**
         * Give a member or a service account a role
         * @description Needs (role, assign) and every permission of the role.
         */
        post: operations["assignRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/role-assignments/{assignment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take a role away */
        delete: operations["unassignRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every type of resource with its actions, which grants take patterns or groups, and what the caller holds
         * @description Needs (org, read).
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what a source's groups confer */
        get: operations["listGroupRoleBindings"];
        put?: never;
        /**
         * Let a group of a source confer roles
         * @description One to five roles, only within what the caller holds. Takes effect at each person's next sign-in.
         */
        post: operations["createGroupRoleBinding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings/{binding_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a binding */
        get: operations["getGroupRoleBinding"];
        /**
         * Replace a binding's group and roles
         * @description One to five roles, only within what the caller holds. Takes effect at each person's next sign-in.
         */
        put: operations["replaceGroupRoleBinding"];
        post?: never;
        /** Delete a binding; what it conferred ends at once */
        delete: operations["deleteGroupRoleBinding"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}/access-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rules by which signing in makes a member */
        get: operations["listAccessRules"];
        put?: never;
        /** Admit people who sign in at this source and match */
        post: operations["createAccessRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/identity-sources/{source_id}/access-rules/{rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete an access rule */
        delete: operations["deleteAccessRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what
         * @description Filters take exact values; action and resource_type several, separated by commas. With format=jsonl the answer is application/x-ndjson.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/operator/v1/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what that belongs to no organization
         * @description For super-admins, by session. Filters as for an organization's audit log.
         */
        get: operations["listInstallationAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List service accounts */
        get: operations["listServiceAccounts"];
        put?: never;
        /**
         * Create a service account
         * @description Roles can be given only by who may assign roles and holds all they confer.
         */
        post: operations["createServiceAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a service account */
        get: operations["getServiceAccount"];
        put?: never;
        post?: never;
        /** Delete a service account with its tokens */
        delete: operations["deleteServiceAccount"];
        options?: never;
        head?: never;
        /** Rename a service account */
        patch: operations["renameServiceAccount"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts/{account_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a service account
         * @description Ends its access at once and deletes its tokens and the invitations it gave; enabling it brings none of them back.
         */
        post: operations["disableServiceAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts/{account_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a disabled service account get tokens again */
        post: operations["enableServiceAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts/{account_id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List an account's tokens, without their values */
        get: operations["listServiceAccountTokens"];
        put?: never;
        /** Create a token; its value is in this answer only */
        post: operations["createServiceAccountToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-account-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tokens of all service accounts, for example those that one person minted */
        get: operations["listOrganizationTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/service-accounts/{account_id}/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a token */
        delete: operations["deleteServiceAccountToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stacks that the caller may read */
        get: operations["listStacks"];
        put?: never;
        /**
         * Create a stack
         * @description Its id is made from the name. A non-manual auto_approve_mode also needs (stack, confirm), automatic previews (stack, preview).
         */
        post: operations["createStack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a stack */
        get: operations["getStack"];
        /** Replace a stack's settings */
        put: operations["replaceStackSettings"];
        post?: never;
        /** Delete a stack; with force=true also while a runner works on it or its state holds resources */
        delete: operations["deleteStack"];
        options?: never;
        head?: never;
        /** Change some of a stack's settings */
        patch: operations["changeStackSettings"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote nothing new until the stack is released
         * @description Needs (stack, confirm). Repeating it keeps the first holder and updates the reason.
         */
        post: operations["holdStack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let the queue go on; needs (stack, confirm) */
        post: operations["releaseStack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/dependencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which stacks of an organization depend on which, of those that the caller may read */
        get: operations["getOrganizationGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/dependencies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a stack depends on and what depends on it
         * @description Needs (stack, read). Stacks that do not exist or that you may not read are restricted nodes, alike in everything.
         */
        get: operations["getDependencies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/dependency-cycles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The cycle of dependencies that a stack lies on
         * @description Needs (stack, read). An always edge on a cycle acts as manual, so that no cascade runs for ever.
         */
        get: operations["getDependencyCycles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/explore/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the resources of all stacks
         * @description Of the stacks that you may read, as their last finished deployments left them.
         */
        get: operations["listResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/explore/findings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cycles, orphans and duplicates
         * @description A cycle: stacks that depend on each other. An orphan: a declared dependency on a stack or resource that does not exist. A duplicate: one real thing that more than one stack manages. Stacks that you may not read are restricted; an orphan is shown only to who may read both ends.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cloud-providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The cloud providers of this installation
         * @description By session only.
         */
        get: operations["listCloudProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/cloud-integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stack's cloud integrations, at most one per provider
         * @description Needs (cloud_integration, read) on `stackName:providerType` of some provider; lists those it covers.
         */
        get: operations["listCloudIntegrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/cloud-integrations/{provider_type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One cloud integration
         * @description Needs (cloud_integration, read) on `stackName:providerType`.
         */
        get: operations["getCloudIntegration"];
        /**
         * Create or replace a cloud integration as a whole
         * @description The roles sent are the complete set. 409 when the stack has the other one of cloud_a and aws_identity, or of cloud_b and google_identity. Needs (cloud_integration, update) on `stackName:providerType`.
         */
        put: operations["putCloudIntegration"];
        post?: never;
        /**
         * Delete a cloud integration; runs that were accepted keep what they got
         * @description Needs (cloud_integration, delete) on `stackName:providerType`.
         */
        delete: operations["deleteCloudIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The label keys and values of the stacks that the caller may read */
        get: operations["listLabels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/config/protected-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the protected label keys */
        get: operations["getProtectedLabels"];
        /**
         * Replace the protected label keys
         * @description Needs (label, create). A stack write that adds, changes or removes a protected label needs (label, update) on its key; labels that are there already stay. Keys under `svc:` cannot be protected.
         */
        put: operations["replaceProtectedLabels"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The variables that runs of a stack get, each with the context it comes from
         * @description Needs (stack, read) and (context, read). No secret's value is shown.
         */
        get: operations["listStackVariables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/contexts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the contexts */
        get: operations["listContexts"];
        put?: never;
        /**
         * Create a context
         * @description Needs (label, update) on every key of the selector. Of two contexts with the same variable the one whose name comes later gives the value.
         */
        post: operations["createContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/contexts/{context_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a context, without its secrets */
        get: operations["getContext"];
        /**
         * Replace a context; a secret without a value stays what it is
         * @description Also needs (context, read), and (label, update) on every key of the selector as it was and as it will be.
         */
        put: operations["replaceContext"];
        post?: never;
        /** Delete a context */
        delete: operations["deleteContext"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/dispatch-budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is left of the organization's runs per hour */
        get: operations["getDispatchBudget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runner-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the runner groups that the caller may read */
        get: operations["listRunnerGroups"];
        put?: never;
        /** Create a runner group; its private key is in this answer only */
        post: operations["createRunnerGroup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runner-groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a runner group */
        get: operations["getRunnerGroup"];
        /** Replace a runner group's settings */
        put: operations["replaceRunnerGroup"];
        post?: never;
        /** Delete a runner group that holds no runs */
        delete: operations["deleteRunnerGroup"];
        options?: never;
        head?: never;
        /** Change some of a runner group's settings */
        patch: operations["changeRunnerGroup"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runner-groups/{group_id}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What waits for a runner group, and what it works on */
        get: operations["getRunnerGroupQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runner-groups/{group_id}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the key pair at once; the new private key is in this answer only */
        post: operations["rotateRunnerGroupKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the runners that the caller may read */
        get: operations["listRunners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/runners/{runner_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a runner that holds no run */
        delete: operations["deleteRunner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A stack's deployments, newest first */
        get: operations["listDeployments"];
        put?: never;
        /**
         * Create a deployment; it queues when the stack is busy
         * @description Needs (stack, deploy), for plan_unlocked (stack, preview). Takes Idempotency-Key.
         */
        post: operations["createDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One deployment with its stages and runs */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The activity log, oldest first */
        get: operations["listDeploymentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which approvals the plan needs, who gave them and who could */
        get: operations["getDeploymentApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who holds the stack's lane, and who comes next */
        get: operations["getStackQueue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy the same commit with the same settings and targets again
         * @description Needs what creating the deployment needed. Takes Idempotency-Key.
         */
        post: operations["retryDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Apply, replan or skip a plan that waits */
        post: operations["confirmDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/confirm-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Run a parked preview */
        post: operations["confirmPreviewDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or reject the plan that waits
         * @description Needs (stack, review). Of a person's reviews of a plan the newest counts.
         */
        post: operations["reviewDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip a queued or waiting deployment */
        post: operations["skipDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/prioritize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put a deployment first in its queues */
        post: operations["prioritizeDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/deprioritize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take a priority back */
        post: operations["deprioritizeDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel; with force, end a cancellation that the runner does not answer */
        post: operations["cancelDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Skip up to 100 deployments, the queue first; one result each */
        post: operations["skipDeployments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel up to 100 deployments, the queue first; one result each */
        post: operations["cancelDeployments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The deployments of all stacks that the caller may read, newest first */
        get: operations["listAllDeployments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What runs, waits, is held and has failed, of the stacks that the caller may read */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/dependents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The stacks that depended on this apply, and what each was given */
        get: operations["listDependents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/dependents/{dependent_stack_id}/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a dependent of this apply that was not triggered by itself
         * @description Creates a plan deployment of the dependent. Needs (stack, deploy) on the dependent and (stack, read) on the applied stack. Takes Idempotency-Key.
         */
        post: operations["deployDependent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The open pull requests that touch the stack */
        get: operations["listPullRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The refresh that is under way; null when none is
         * @description Needs (stack, preview).
         */
        get: operations["getPullRequestRefresh"];
        put?: never;
        /**
         * Ask the code host about the branch's pull requests now
         * @description Needs (stack, preview). The answer comes before the host was asked.
         */
        post: operations["refreshPullRequests"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests/{number}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy exactly the commit whose preview has finished
         * @description Needs (stack, deploy). Takes Idempotency-Key. 409 base_diverged where the plan would take back what the stack's commit changes in its directory, base_unknown where the host cannot tell; force=true promotes all the same, with a warning.
         */
        post: operations["promotePullRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the integrations */
        get: operations["listScmIntegrations"];
        put?: never;
        /**
         * Create an integration with a code host
         * @description Secrets in auth_config can be written and never read.
         */
        post: operations["createScmIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations/{integration_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an integration */
        get: operations["getScmIntegration"];
        /** Replace an integration's settings; secrets left out stay */
        put: operations["replaceScmIntegration"];
        post?: never;
        /** Delete an integration and its inbox */
        delete: operations["deleteScmIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the integration's host for a repository now
         * @description Needs (scm_integration, update). What the host does not allow is an answer with the reason.
         */
        post: operations["testScmIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/scm-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The inbox of an integration
         * @description Needs (scm_integration, read).
         */
        get: operations["listScmEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/scm-events/{event_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try an event that is dead, or waits for its next try, from the start
         * @description Needs (scm_integration, update).
         */
        post: operations["retryScmEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a code host's delivery
         * @description The host's signature or token is the authentication: X-Hub-Signature-256, X-Gitea-Signature, X-Gitlab-Token or webhook-signature, by the integration's host_kind. Deliveries that mean nothing to us are 202 too. 401 also means that there is no such integration, and 404 that one of another organization has signed.
         */
        post: operations["deliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/notification-integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notification integrations */
        get: operations["listNotificationIntegrations"];
        put?: never;
        /**
         * Create a notification integration
         * @description The address, secret, headers and password in auth_config can be written and never read.
         */
        post: operations["createNotificationIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a notification integration */
        get: operations["getNotificationIntegration"];
        /**
         * Replace a notification integration's settings
         * @description Without auth_config the stored address, secret and headers stay. With it, a secret or headers left out stay only while the address keeps its scheme, host and port, and a password only while host, port and user name do; null removes them. Deliveries in flight are given up when it is disabled.
         */
        put: operations["replaceNotificationIntegration"];
        post?: never;
        /** Delete a notification integration and its deliveries, also those in flight */
        delete: operations["deleteNotificationIntegration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/notification-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries that are in flight or dead
         * @description A delivery that its target took is gone. Needs (notification_integration, read).
         */
        get: operations["listNotificationDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/notification-deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again that is dead, or waits for its next attempt, with the same id and body
         * @description Needs (notification_integration, update). Its attempts are counted anew.
         */
        post: operations["retryNotificationDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample at once and tell how the target answered
         * @description Needs (notification_integration, update). Only the class of the status is told. Nothing is stored or retried.
         */
        post: operations["testNotificationIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stacks that are checked for drift, of those that the caller may read */
        get: operations["listDrift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is known of a stack's drift */
        get: operations["getStackDrift"];
        /**
         * Say how the stack is checked, whatever schedules say
         * @description Needs (stack, update); to have drift planned by itself also (stack, deploy), to have it applied (stack, confirm).
         */
        put: operations["replaceStackDriftPolicy"];
        post?: never;
        /** Let schedules say how the stack is checked; needs (stack, update) */
        delete: operations["deleteStackDriftPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/drift/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a check now; it begins when nobody needs what it would take
         * @description Needs (stack, deploy). 409 where nothing is applied.
         */
        post: operations["checkStackDrift"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/drift-schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the schedules of checks for drift */
        get: operations["listDriftSchedules"];
        put?: never;
        /**
         * Have the stacks that a selector fits checked for drift
         * @description Needs (label, update) on every key of the selector; to have drift planned by itself also (stack, deploy) without a pattern, to have it applied (stack, confirm). Of several schedules that fit, the one with most labels counts.
         */
        post: operations["createDriftSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/drift-schedules/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a schedule */
        get: operations["getDriftSchedule"];
        /**
         * Replace a schedule
         * @description Needs (label, update) on every key of the selector; to have drift planned by itself also (stack, deploy) without a pattern, to have it applied (stack, confirm). The keys of the selector as it was count too.
         */
        put: operations["replaceDriftSchedule"];
        post?: never;
        /** Delete a schedule; what was found stays */
        delete: operations["deleteDriftSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the policies of an organization */
        get: operations["listPolicies"];
        put?: never;
        /** Create a policy, with rules or without a version that counts */
        post: operations["createPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a policy */
        get: operations["getPolicy"];
        /** Replace a policy's settings, and say which version counts */
        put: operations["replacePolicy"];
        post?: never;
        /** Delete a policy; what it decided stays */
        delete: operations["deletePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a version would say of a deployment's plan; nothing is stored
         * @description Needs (policy, read), and (stack, read) on the deployment's stack.
         */
        post: operations["testPolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a policy's versions, newest first */
        get: operations["listPolicyVersions"];
        put?: never;
        /**
         * Add a version of rules as data
         * @description It counts once the policy's settings name it, so it can be tested before. Needs (policy, update).
         */
        post: operations["createPolicyRules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/versions/rego": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a version of Rego v1 with package `deploy`, which is compiled at once
         * @description It counts once the policy's settings name it, so it can be tested before. Needs (policy, update). At most 1048576 bytes. 409 where the operator has not installed opa.
         */
        post: operations["createPolicyFromRego"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/versions/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a version that `opa build -t wasm -e deploy` has compiled
         * @description It counts once the policy's settings name it, so it can be tested before. Needs (policy, update). At most 1048576 bytes.
         */
        post: operations["createPolicyFromBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a version with its rules or source */
        get: operations["getPolicyVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/exemptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stacks that a policy does not count for, newest first */
        get: operations["listPolicyExemptions"];
        put?: never;
        /**
         * Exempt a stack from a policy until an hour, with a reason
         * @description Needs (policy, update), and (stack, read) on the stack.
         */
        post: operations["createPolicyExemption"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/policies/{policy_id}/exemptions/{exemption_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End an exemption */
        delete: operations["deletePolicyExemption"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-evaluations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What policies said of a deployment's plans, newest first */
        get: operations["listPolicyEvaluations"];
        put?: never;
        /**
         * Have the policies look at the plan that waits once more; an override ends with it
         * @description Needs (stack, confirm).
         */
        post: operations["evaluatePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-override": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let the plan that waits be applied although policies deny it
         * @description Needs (policy, override), and (stack, read). A person still confirms; another plan is looked at anew.
         */
        post: operations["overridePolicies"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/lifetime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read when a stack ends by itself */
        get: operations["getStackLifetime"];
        /**
         * Have a stack destroyed and deleted at a time, after a reminder
         * @description Needs (stack, update), (stack, deploy), (stack, confirm) and (stack, delete): its destroy is applied without another question.
         */
        put: operations["setStackLifetime"];
        post?: never;
        /** Let a stack stay; needs (stack, update) */
        delete: operations["removeStackLifetime"];
        options?: never;
        head?: never;
        /**
         * Let a stack live longer; needs (stack, update)
         * @description 409 where it has no lifetime, or is being destroyed: the deployment that does is named.
         */
        patch: operations["prolongStackLifetime"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what comes by itself on a stack, by schedules of its own and by those whose selector fits it */
        get: operations["listStackSchedules"];
        put?: never;
        /**
         * Have a deployment or a command come by itself, once or by a cron schedule
         * @description Needs (stack, update), and for its mode (stack, deploy) or (stack, run_command).
         */
        post: operations["createStackSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules/{stack_schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a schedule of a stack */
        get: operations["getStackSchedule"];
        put?: never;
        post?: never;
        /** Delete a schedule; what it has made goes on */
        delete: operations["deleteStackSchedule"];
        options?: never;
        head?: never;
        /**
         * Change some of a schedule, pause it or let it go on
         * @description Needs (stack, update); to do something else or at another time also what creating it needs.
         */
        patch: operations["changeStackSchedule"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the schedules of all stacks that the caller may read; those of selectors need (stack, read) without a pattern */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Have a deployment or a command come by itself on every stack that a selector fits
         * @description Needs (stack, update) and, for its mode, (stack, deploy) or (stack, run_command), each without a pattern, and (label, update) on every key of the selector.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/schedules/{selector_schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a schedule of a selector; needs (stack, read) without a pattern */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /** Delete a selector's schedule; needs (stack, update) without a pattern */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change some of a selector's schedule, pause it or let it go on
         * @description Needs (stack, update) without a pattern; to do something else or at another time also what creating it needs.
         */
        patch: operations["changeSchedule"];
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/approval-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rules that say whose approval a plan needs */
        get: operations["listApprovalRules"];
        put?: never;
        /**
         * Have plans wait for approvals; plans that wait already need them too
         * @description Every rule that fits a plan has to be met. An automatic approval never overrides one.
         */
        post: operations["createApprovalRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/approval-rules/{approval_rule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a rule */
        get: operations["getApprovalRule"];
        /** Replace a rule; it counts at once */
        put: operations["replaceApprovalRule"];
        post?: never;
        /** Delete a rule; what waited for it alone waits for a person's confirmation */
        delete: operations["deleteApprovalRule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/run-command": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a script in the stack's directory at the branch's head; it queues when the stack is busy
         * @description Needs (stack, run_command), and break_glass where a rule of approvals or a mandatory policy is about the stack. The script is kept encrypted and shown to nobody; its output is the run's log. Takes Idempotency-Key.
         */
        post: operations["runCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/local-sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload the files of a local plan
         * @description A gzipped tar of the repository's root, at most 67108864 bytes, without links that lead out of it. Needs (stack, local_deploy).
         */
        post: operations["uploadLocalSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/local": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan an uploaded source; nothing is locked and nothing can be applied from it
         * @description Always of mode plan_unlocked, never retried. Needs (stack, local_deploy). Takes Idempotency-Key.
         */
        post: operations["createLocalPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The log as bytes, whole or by range, or as an event stream
         * @description Range, or offset and limit, pick bytes; X-Log-Complete says whether more is expected, X-Log-Gaps whether a part of it
         *     never came and never will.
         *     With Accept: text/event-stream the log is followed until the stage, or the deployment, is over. Events are
         *     `log` with `{"stage_id", "offset", "text"}` (and `base64` where the bytes are no UTF-8), and last `end` with
         *     `{"status"}`, and `"gaps": true` where a part never came. The id of an event is the offset after it: Last-Event-ID, or offset at first, goes on exactly there. A stream
         *     that ends without `end` was interrupted, at the latest after 15 minutes, or its reader may not read any more, which is asked
         *     every 15 seconds. 204 to a Last-Event-ID at the end of a log that is
         *     over.
         */
        get: operations["readDeploymentLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What has not ended, or an event stream of what changes
         * @description Deployments that have not ended, at most 1000, of the stacks that the caller may read.
         *     With Accept: text/event-stream an event stream follows of `hint` events with the same fields, one after each change: what
         *     to read again, never what changed. `version` is another text after each change and says nothing else. A stream has no
         *     memory: read once after its first event, `open`. It ends after 15 minutes, and when its reader may not read any more, which is asked
         *     every 15 seconds. 404 for a `stack` that the caller may not read.
         */
        get: operations["followOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A plan and its summary: the newest of the deployment, or the one named */
        get: operations["getPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/plan/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a plan changes, with sensitive values taken out
         * @description In the engine's order. A page may be shorter than its limit, since its size in bytes is limited too.
         *     With Accept: application/x-ndjson all of them follow one another, a line of JSON each, without limit and cursor.
         */
        get: operations["listPlanChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/plan/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The plan in the engine's own words, with sensitive values taken out */
        get: operations["readPlanText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the newest apply of a stack left as outputs
         * @description Shows nothing of what is sensitive. Needs (stack, read_outputs).
         */
        get: operations["getStackOutputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One output; with reveal=true its value although it is sensitive
         * @description Needs (stack, read_outputs). With reveal=true also (stack, read_state), since a state shows as much; taking a sensitive value is an entry of the audit trail.
         */
        get: operations["getStackOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/output-readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The stacks that are given a stack's outputs
         * @description Needs (stack, read_outputs).
         */
        get: operations["listOutputReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/output-readers/{dependent_stack_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Let another stack have the outputs of this one
         * @description Needs (stack, read_outputs) on this stack and (stack, update) on the other; for what is sensitive (stack, update) on this one as well.
         */
        put: operations["setOutputReader"];
        post?: never;
        /**
         * Give another stack no outputs any more; plans that were made keep what they got
         * @description Needs (stack, update) on the stack that gives.
         */
        delete: operations["removeOutputReader"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest state, as an engine wrote it
         * @description For the `http` backend of an engine, with a token as the password. Needs (stack, read_state).
         */
        get: operations["readState"];
        put?: never;
        /**
         * Store a newer state; `ID` in the query is the lock's
         * @description 423 with the lock's document when somebody else has it. Needs (stack, write_state).
         */
        post: operations["writeState"];
        /**
         * Let the stack have no state; its versions stay and can be restored
         * @description 423 with the lock's document when somebody else has it. Needs (stack, write_state).
         */
        delete: operations["deleteState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who has the lock */
        get: operations["getStateLock"];
        /**
         * Lock the state
         * @description 423 with the lock's document when somebody else has it. Needs (stack, write_state). Also as LOCK.
         */
        put: operations["lockState"];
        post?: never;
        /**
         * Give the lock back, by the ID of its document or in the query
         * @description Needs (stack, write_state). Also as UNLOCK.
         */
        delete: operations["unlockState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/force-unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the lock away from whoever left it
         * @description 409 while a run holds it: cancel its deployment. Needs (stack, write_state).
         */
        post: operations["forceUnlockState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of the state, newest first
         * @description Needs (stack, read_state).
         */
        get: operations["listStateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what is known of a version */
        get: operations["getStateVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A version as an engine wrote it
         * @description Needs (stack, read_state), and is an entry of the audit trail.
         */
        get: operations["downloadStateVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What another version, the one before when none is named, was changed to
         * @description Names resources, outputs and attributes, and never shows a value. Needs (stack, read_state).
         */
        get: operations["compareStateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new version with the body of an older one
         * @description Only while the lane is free and nobody has the lock. Needs (stack, write_state).
         */
        post: operations["restoreStateVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runner-groups/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Claim a run; with wait_seconds, wait for one */
        get: operations["pollForRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runner-groups/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that the coordinator is there */
        post: operations["heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runner-groups/dispatch-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A claimed run could not be started on a machine */
        post: operations["reportDispatchFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runners/{runner_id}/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that the runner is up */
        post: operations["runnerReady"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runners/{runner_id}/deregister": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Go; refused while it holds a run */
        delete: operations["deregisterRunner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take the run; answers everything needed to execute it, once */
        post: operations["acceptRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say that the runner lives; tells of a cancel */
        get: operations["readRunStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/acknowledging-cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The engine is being stopped */
        post: operations["acknowledgeCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/done": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report how the run ended */
        post: operations["reportRunDone"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/logs/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The bytes of the active chunk so far */
        post: operations["pushLiveLog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/logs/chunks/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** A whole chunk, for ever */
        put: operations["sealLogChunk"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/artifacts/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an artifact; for an apply run, the plan and the tree are its plan's */
        get: operations["downloadArtifact"];
        /** Store an artifact of a run that goes on */
        put: operations["uploadArtifact"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Say what the apply left as outputs, before its end is reported */
        put: operations["storeOutputs"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ask for outputs of other stacks: all of them, or what is missing */
        post: operations["takeInputs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the uploaded archive that the run plans */
        get: operations["downloadSource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** New tokens of the run's identities, while it goes on */
        post: operations["renewIdentities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest state of the run's stack */
        get: operations["readRunState"];
        put?: never;
        /** Store a newer state; `ID` is the lock's */
        post: operations["writeRunState"];
        /** Remove the state */
        delete: operations["deleteRunState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/state/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Lock the state; the lock ends with the run */
        put: operations["lockRunState"];
        post?: never;
        /** Give the lock back */
        delete: operations["unlockRunState"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Problem: {
            type: string;
            title: string;
            status: number;
            detail?: string;
            /** @enum {string} */
            code?: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
            errors?: {
                field: string;
                message: string;
                allowed?: string[];
            }[];
            request_id?: string;
        };
        /** @description The four pat_ fields are there for token callers only, csrf_token for sessions only */
        Me: {
            id: string;
            /** @enum {string} */
            kind: "user" | "service_account";
            name: string;
            is_super_admin: boolean;
            csrf_token?: string;
            pat_id?: string;
            pat_name?: string;
            pat_org_id?: string;
            pat_org_login_start_handle?: string | null;
            /** @description Of a person: what was linked to them in the last 30 days. Unlink what you do not know */
            new_identities?: {
                /** Format: uuid */
                id: string;
                issuer: string;
                login: string | null;
                /** Format: date-time */
                linked_at: string;
            }[];
        };
        SignInProvider: {
            key: string;
            display_name: string;
        };
        OrganizationSignInProvider: {
            key: string;
            source_slug: string;
            display_name: string;
            start_path: string;
        };
        LinkingStarted: {
            /** @description Of the provider; the browser goes there */
            authorization_url: string;
        };
        SignInConfirmation: {
            /**
             * @description Link the identity to you, or sign in as somebody else in your place
             * @enum {string}
             */
            action: "link" | "switch";
            provider_key: string;
            issuer: string;
            login: string;
            display_name: string | null;
            signed_in_as: {
                id: string;
                login: string;
            };
            /** Format: date-time */
            expires_at: string;
        };
        ConfirmedSignIn: {
            /** @description Where the sign-in was to end; the browser goes there */
            location: string;
        };
        Identity: {
            /** Format: uuid */
            id: string;
            provider_key: string;
            issuer: string;
            subject: string;
            /** @description What the provider called you last */
            login: string | null;
            /** @description Whether its provider is configured now; of an organization's own: any enabled source */
            can_sign_in: boolean;
            /** @description Whether the calling session was begun with it */
            this_session: boolean;
            last_login_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        IdentityPage: {
            items: components["schemas"]["Identity"][];
            next_cursor: string | null;
        };
        IdentitySource: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            provider_key: string;
            source_slug: string;
            display_name: string;
            oidc_issuer: string | null;
            oidc_client_id: string | null;
            oidc_groups_claim: string | null;
            groups_scope: string | null;
            has_client_secret: boolean;
            enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        OrganizationProof: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "domain" | "codehost_org";
            name: string;
            /** @description What proves a domain; an organization of the code host is proven by its own app */
            txt_record: {
                name: string;
                value: string;
            } | null;
            proven_at: string | null;
            proven_by: ("dns" | "operator" | "app") | null;
            /** Format: date-time */
            created_at: string;
        };
        OrganizationProofPage: {
            items: components["schemas"]["OrganizationProof"][];
            next_cursor: string | null;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** @description What it was begun with, see `listIdentities` */
            identity_id: string | null;
            this_session: boolean;
            /**
             * Format: date-time
             * @description Moves on with use, at most 7 days from the beginning
             */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        SessionPage: {
            items: components["schemas"]["Session"][];
            next_cursor: string | null;
        };
        BegunDeviceLogin: {
            /** @description The program's secret: whoever has it gets the token */
            device_code: string;
            /**
             * @description What the person compares
             * @example BCDF-GHJK
             */
            user_code: string;
            verification_uri: string;
            /** @description The same with the code in it */
            verification_uri_complete: string;
            /** @description Seconds */
            expires_in: number;
            /** @description Seconds between two looks for the token, at least */
            interval: number;
        };
        CollectedDeviceToken: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds */
            expires_in: number;
            /** Format: uuid */
            token_id: string;
            name: string;
            /**
             * Format: uuid
             * @description The one organization that the token speaks for
             */
            org_id: string;
            /** Format: date-time */
            expires_at: string;
        };
        DeviceLogin: {
            user_code: string;
            client_name: string;
            /** @description As the program calls its machine; nobody has checked it */
            host_name: string;
            /** @description Whence it asked, as the service saw it */
            address: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        CreatedPersonalToken: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
            token: string;
        };
        PersonalToken: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        User: {
            id: string;
            login: string;
            display_name: string | null;
            /** @description Of the identity that the id is named after */
            provider_key: string;
            is_super_admin: boolean;
            disabled_at: string | null;
            /** @description The last sign-in with any identity */
            last_login_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        UserPage: {
            items: components["schemas"]["User"][];
            next_cursor: string | null;
        };
        UserDetail: {
            id: string;
            login: string;
            display_name: string | null;
            /** @description Of the identity that the id is named after */
            provider_key: string;
            is_super_admin: boolean;
            disabled_at: string | null;
            /** @description The last sign-in with any identity */
            last_login_at: string | null;
            /** Format: date-time */
            created_at: string;
            identities: {
                /** Format: uuid */
                id: string;
                provider_key: string;
                issuer: string;
                subject: string;
                login: string | null;
                last_login_at: string | null;
                /** Format: date-time */
                created_at: string;
            }[];
            /** @description How many have not expired */
            sessions: number;
            /** @description How many have not expired */
            personal_tokens: number;
            /** @description Service account tokens traced to the person that have not expired */
            minted_tokens: number;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            is_personal: boolean;
            /** @description What its people type to sign in here */
            login_handle: string | null;
            max_users: number;
            runs_per_hour_limit: number;
            default_runner_group_id: string | null;
            dispatch_throttled_until: string | null;
            /** Format: date-time */
            created_at: string;
        };
        OrganizationPage: {
            items: components["schemas"]["Organization"][];
            next_cursor: string | null;
        };
        RoleName: {
            /** Format: uuid */
            id: string;
            name: string;
            is_system: boolean;
        };
        Member: {
            user_id: string;
            login: string;
            display_name: string | null;
            source: string;
            /** @description Null for a membership without end */
            expires_at: string | null;
            /** @description Set when a super-admin has disabled the person */
            disabled_at: string | null;
            /** @description Direct assignments; sign-in may confer more */
            roles: components["schemas"]["RoleName"][];
            /** Format: date-time */
            created_at: string;
        };
        MemberPage: {
            items: components["schemas"]["Member"][];
            next_cursor: string | null;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            provider_key: string;
            login: string;
            roles: components["schemas"]["RoleName"][];
            invited_by: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        InvitationPage: {
            items: components["schemas"]["Invitation"][];
            next_cursor: string | null;
        };
        MembershipOffer: {
            /** Format: uuid */
            id: string;
            org: {
                /** Format: uuid */
                id: string;
                name: string;
            };
            /**
             * @description A person there offers it, or a rule of theirs that your sign-in met
             * @enum {string}
             */
            source: "manual" | "identity_source";
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        MembershipOfferPage: {
            items: components["schemas"]["MembershipOffer"][];
            next_cursor: string | null;
        };
        AcceptedMembership: {
            /** Format: uuid */
            org_id: string;
        };
        Permission: {
            resource_type: string;
            action: string;
            /** @description A glob over the resource's name: `*` any text, `?` one character */
            resource_pattern: string | null;
            authz_group: string | null;
        };
        Role: {
            /** Format: uuid */
            id: string;
            /** @description Null for a system role */
            org_id: string | null;
            name: string;
            is_system: boolean;
            permissions: components["schemas"]["Permission"][];
            /** Format: date-time */
            created_at: string;
        };
        RolePage: {
            items: components["schemas"]["Role"][];
            next_cursor: string | null;
        };
        /** @description Either user_id or service_account_id is set */
        RoleAssignment: {
            /** Format: uuid */
            id: string;
            role: components["schemas"]["RoleName"];
            user_id: string | null;
            service_account_id: string | null;
            /** Format: date-time */
            created_at: string;
        };
        RoleAssignmentPage: {
            items: components["schemas"]["RoleAssignment"][];
            next_cursor: string | null;
        };
        Permissions: {
            items: {
                type: string;
                actions: string[];
                /** @description Whether a grant may carry a pattern on names */
                takes_pattern: boolean;
                /** @description Whether a grant may carry an authorization group */
                takes_group: boolean;
            }[];
            /** @description What the caller holds in the organization, by whatever role; of a super-admin all */
            grants: {
                resource_type: string;
                action: string;
                resource_pattern: string | null;
                authz_group: string | null;
            }[];
        };
        GroupRoleBinding: {
            /** Format: uuid */
            id: string;
            group_key: string;
            roles: components["schemas"]["RoleName"][];
            /** Format: date-time */
            created_at: string;
        };
        GroupRoleBindingPage: {
            items: components["schemas"]["GroupRoleBinding"][];
            next_cursor: string | null;
        };
        AccessRule: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @constant */
            rule_type: "codehost_org";
            org: string;
        } | {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @constant */
            rule_type: "codehost_team";
            org: string;
            team: string;
        } | {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @constant */
            rule_type: "workspace_hd";
            domains: string[];
        } | {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @constant */
            rule_type: "oidc_group";
            group: string;
        };
        AccessRulePage: {
            items: components["schemas"]["AccessRule"][];
            next_cursor: string | null;
        };
        Actor: {
            id: string;
            /** @enum {string} */
            kind: "user" | "service_account" | "operator";
            /** @description As people know them; null once they are gone, or for who never had one */
            name: string | null;
        };
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            actor_id: string | null;
            actor_kind: ("user" | "service_account" | "operator") | null;
            actor: components["schemas"]["Actor"] | null;
            /**
             * @description `noun.verb`
             * @example role.create
             */
            action: string;
            resource_type: string;
            resource_id: string | null;
            details: {
                [key: string]: unknown;
            };
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            next_cursor: string | null;
        };
        ServiceAccount: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            disabled_at: string | null;
            roles: {
                /** Format: uuid */
                id: string;
                name: string;
                is_system: boolean;
            }[];
            /** Format: date-time */
            created_at: string;
        };
        ServiceAccountPage: {
            items: components["schemas"]["ServiceAccount"][];
            next_cursor: string | null;
        };
        CreatedServiceAccountToken: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            service_account_id: string;
            name: string;
            created_by: string | null;
            /** @description Since when who minted it is no member any more; 30 days later it opens nothing */
            minter_left_at: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
            /** @description Shown in this answer and never again */
            token: string;
        };
        ServiceAccountToken: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            service_account_id: string;
            name: string;
            created_by: string | null;
            /** @description Since when who minted it is no member any more; 30 days later it opens nothing */
            minter_left_at: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        ServiceAccountTokenPage: {
            items: components["schemas"]["ServiceAccountToken"][];
            next_cursor: string | null;
        };
        Stack: {
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            repository_url: string;
            branch: string;
            working_directory: string;
            /** @enum {string} */
            tool: "terraform" | "tofu";
            tool_version: string | null;
            labels: {
                [key: string]: string;
            };
            authz_groups: string[];
            /** @enum {string} */
            pr_plan_mode: "manual" | "auto";
            /** @enum {string} */
            auto_approve_mode: "manual" | "auto" | "non_destructive";
            /** @enum {string} */
            state_mode: "auto" | "hosted" | "own";
            deploy_on_push: boolean;
            fork_previews: boolean;
            preview_runner_labels: {
                [key: string]: string;
            } | null;
            fork_runner_labels: {
                [key: string]: string;
            } | null;
            pr_requirements: {
                plan?: ("approved" | "mergeable" | "checks_passed")[];
                promote?: ("approved" | "mergeable" | "checks_passed")[];
            };
            hooks: {
                before_plan?: string;
                after_plan?: string;
                before_apply?: string;
                after_apply?: string;
            };
            queued_timeout: string | null;
            confirmation_timeout: string | null;
            supersede_age: string | null;
            max_run_duration: string | null;
            held_at: string | null;
            held_by: string | null;
            held_by_actor: components["schemas"]["Actor"] | null;
            hold_reason: string | null;
            /** @description When it is destroyed and deleted by itself; null: never */
            expires_at: string | null;
            latest_deployment_id: string | null;
            latest_deployment_status: string | null;
            latest_deployment_mode: string | null;
            latest_deployment_commit_sha: string | null;
            latest_deployment_created_at: string | null;
            latest_deployment_completed_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description What the caller may do with it now; the first five are modes of a new deployment */
            allowed_actions: ("plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "local" | "update" | "hold" | "release" | "delete")[];
        };
        StackPage: {
            items: components["schemas"]["Stack"][];
            next_cursor: string | null;
        };
        OrgGraph: {
            /** @description The stacks */
            items: {
                id: string;
                name: string;
                latest_deployment_status: string | null;
                /** @description Whether it lies on a cycle; null: the graph is beyond its budget */
                in_cycle: boolean | null;
            }[];
            edges: {
                dependent: string;
                dependency: string;
                /** @enum {string} */
                trigger: "always" | "manual" | "never";
                declared: boolean;
                inferred: boolean;
            }[];
            /** @description More than 1000 stacks or 5000 edges: the others are left out */
            truncated: boolean;
        };
        Dependencies: {
            nodes: {
                /** @description What edges refer to; stands for nothing outside this answer */
                key: string;
                /** @enum {string} */
                kind: "stack" | "resource";
                /** @description A stack's id, or the address of a resource or output; null when restricted */
                id: string | null;
                /** @description Id of the stack it is or belongs to; null when restricted */
                stack: string | null;
                /** @description Missing, or not for you to read */
                restricted: boolean;
                /** @description There is no stack of this id; said to those who may read every stack of the organization */
                missing: boolean;
                /** @description Whether its stack lies on a cycle; null: unknown or restricted */
                in_cycle: boolean | null;
                /** @description Of a stack */
                name: string | null;
                /** @description Of a stack */
                labels: {
                    [key: string]: string;
                } | null;
                /** @description Of a stack */
                latest_deployment_status: string | null;
            }[];
            edges: {
                /** @description Key of the node that depends */
                dependent: string;
                /** @description Key of the node it depends on */
                dependency: string;
                /** @enum {string} */
                trigger: "always" | "manual" | "never";
                /** @enum {string} */
                provenance: "declared" | "inferred" | "both";
                /** @description Whether it is part of a cycle; null: unknown or restricted */
                on_cycle: boolean | null;
                /** @description Where it is declared */
                declared_at: {
                    file: string;
                    line: number | null;
                } | null;
            }[];
            total_edges: number;
            /** @description Some edges were left out */
            truncated: boolean;
            /** @description Why cycle flags are unknown */
            exceeded_budget: ("max_org_edges" | "max_org_stack_pairs" | "max_neighborhood_edges" | "max_direct_dependent_edges_per_stack" | "max_direct_dependent_edges" | "max_inferred_edges_per_stack" | "max_response_edges" | "max_pair_edges") | null;
            /** @description What the edges of this stack come from */
            analysis: {
                run_id: string | null;
                /**
                 * @description unknown: the newest run's analysis did not say; the edges are as they were before
                 * @enum {string}
                 */
                declared: "never" | "known" | "unknown";
                /** @enum {string} */
                resources: "never" | "known" | "unknown";
                problem: string | null;
                /** @description Comments of that run's configuration that were ignored, as `file:line: message`; at most 50 */
                comment_errors: string[];
                /** @description How many were ignored */
                comment_errors_count: number;
                /** @description More edges could be inferred than are kept */
                inferred_truncated: boolean;
                /** @description null: the edges are not those of that run yet */
                reconciled_at: string | null;
            } | null;
        };
        DependencyCycles: {
            /** @description null: unknown, since a budget is exceeded */
            in_cycle: boolean | null;
            exceeded_budget: ("max_org_edges" | "max_org_stack_pairs" | "max_neighborhood_edges" | "max_direct_dependent_edges_per_stack" | "max_direct_dependent_edges" | "max_inferred_edges_per_stack" | "max_response_edges" | "max_pair_edges") | null;
            /** @description A shortest cycle through this stack, which comes first: an apply of each one triggers the next, of the last one the first. Null when there is none or it is longer than 200 */
            cycle: {
                id: string | null;
                name: string | null;
                /** @description Not for you to read */
                restricted: boolean;
            }[] | null;
            /** @description Stacks from which this one can be reached and that it reaches, itself included */
            members: {
                id: string | null;
                name: string | null;
                /** @description Not for you to read */
                restricted: boolean;
            }[];
            total_members: number;
            /** @description More than 200 members: the rest is left out */
            truncated: boolean;
        };
        ExploreResource: {
            stack: {
                id: string;
                name: string;
            };
            address: string;
            /** @enum {string} */
            mode: "managed" | "data";
            type: string;
            provider: string;
            /** @description Where the identity is unique: a provider, an account, a region */
            realm: string | null;
            /** @description What names the real thing within its realm; null when nothing is asserted */
            identity: string | null;
        };
        ExploreFinding: {
            id: string;
            /** @enum {string} */
            kind: "cycle" | "orphan" | "duplicate";
            /** @description At most 20. Of an orphan: the stack that declares, then the one it names */
            stacks: {
                id: string | null;
                name: string | null;
                restricted: boolean;
            }[];
            stack_count: number;
            /** @description Of an orphan */
            reason: ("stack_missing" | "resource_missing") | null;
            /** @description What an orphan's declaration names */
            from_stack: string | null;
            from_resource: string | null;
            file: string | null;
            line: number | null;
            /** @description Of a duplicate */
            realm: string | null;
            /** @description What more than one stack manages */
            identity: string | null;
        };
        CloudIntegration: {
            provider_type: string;
            /** @description cloud_a: roles, sorted by name; cloud_b: service_account_email, use_in_previews; others as the manual has them */
            config: {
                [key: string]: unknown;
            };
            /** @description Of an identity: what the cloud has to trust, and `sub` by what a run does */
            trust?: {
                issuer: string;
                subjects: {
                    [key: string]: string;
                };
            };
        };
        LabelsInUse: {
            items: {
                key: string;
                values: string[];
                /** @description Some values were left out */
                truncated: boolean;
            }[];
            /** @description Some keys were left out */
            truncated: boolean;
        };
        ProtectedLabels: {
            keys: string[];
        };
        StackVariables: {
            items: {
                name: string;
                secret: boolean;
                /** @description null for a secret */
                value: string | null;
                context: {
                    id: string;
                    name: string;
                };
                /** @description Names of the contexts that have it too and lose, the last that lost first */
                overridden: string[];
            }[];
        };
        ContextVariable: {
            name: string;
            secret: boolean;
            /** @description Absent for a secret */
            value?: string;
        };
        Context: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            /** @description Labels a stack must have; empty for every stack */
            selector: {
                [key: string]: string;
            };
            variables: components["schemas"]["ContextVariable"][];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ContextPage: {
            items: components["schemas"]["Context"][];
            next_cursor: string | null;
        };
        DispatchBudget: {
            throttled: boolean;
            runs_per_hour_limit: number;
            /** @description Runs that can be claimed now; at most 24 hours' worth */
            available: number;
            /** @description Until a run can be claimed; 0 when one can now */
            next_slot_seconds: number;
        };
        RunnerGroup: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            labels: {
                [key: string]: string;
            };
            max_concurrent_runs: number;
            max_drift_runs: number;
            public_key: string;
            public_key_fingerprint: string;
            last_contact_at: string | null;
            runner_version: string | null;
            last_dispatch_error: string | null;
            last_dispatch_error_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        KeyedRunnerGroup: {
            group: components["schemas"]["RunnerGroup"];
            /** @description PKCS #8 PEM. Shown in this answer and never again. */
            private_key: string;
        };
        RunnerGroupPage: {
            items: components["schemas"]["RunnerGroup"][];
            next_cursor: string | null;
        };
        GroupQueue: {
            /** @description Runs that this group may take now; at most 100000 are counted. Another group may take them too */
            pending: number;
            /** @description How long the first of them has waited; 0 without any */
            oldest_pending_seconds: number;
            /** @description Runs that its runners have */
            running: number;
            /** @description How many it may have at once */
            capacity: number;
            /** @description How many more it may take now */
            free: number;
        };
        Runner: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            group_id: string;
            /** @enum {string} */
            status: "not-ready" | "ready" | "busy" | "finished" | "failed" | "gone";
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            created_at: string;
            assigned_run_id: string | null;
            assigned_stack_id: string | null;
            assigned_deployment_id: string | null;
        };
        RunnerPage: {
            items: components["schemas"]["Runner"][];
            next_cursor: string | null;
        };
        DeploymentApprovals: {
            /** @description The plan that reviews are about now */
            plan_run_id: string | null;
            /** @description Whether they keep the plan from being applied */
            blocked: boolean;
            /** @description It is skipped then, unless they are there */
            deadline_at: string | null;
            required: {
                /** @enum {string} */
                source: "rule" | "policy";
                /** Format: uuid */
                id: string;
                name: string;
                reason: string | null;
                count: number;
                /** @description Whose approvals count, in words; none: whoever may review the stack */
                from: string[];
                given: components["schemas"]["Actor"][];
                missing: number;
                /** @description Who could give what is missing; at most 20 */
                could: components["schemas"]["Actor"][];
            }[];
            /** @description Newest first; at most 100 */
            reviews: {
                /** Format: uuid */
                id: string;
                /** @description Null for a preview that nobody had started */
                plan_run_id: string | null;
                reviewer: components["schemas"]["Actor"] | null;
                /** @enum {string} */
                verdict: "approve" | "reject";
                comment: string | null;
                /** Format: date-time */
                created_at: string;
                /**
                 * @description `replaced` by a newer one of the same person, `voided` with its plan, `own_change`: of who made the change, `not_asked`: of who may not review any more or is not among the approvers
                 * @enum {string}
                 */
                standing: "counts" | "replaced" | "voided" | "own_change" | "not_asked";
            }[];
        };
        Overview: {
            /** @description Deployments that have not ended, by status; a status that none has is left out */
            items: {
                /** @enum {string} */
                status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                count: number;
            }[];
            oldest_waiting: {
                id: string;
                stack_id: string;
                waiting_since: string;
            } | null;
            held_stacks: number;
            failed_24h: number;
            drifted_stacks: number;
        };
        ScmIntegration: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            /** @enum {string} */
            host_kind: "github" | "gitea" | "gitlab";
            url_pattern: string;
            priority: number;
            /** @description What this kind of host cannot do or say, for people */
            limitations: string[];
            api_base_url: string | null;
            host_names: string[];
            auth_config_summary: {
                /** @enum {string} */
                kind: "app" | "token" | "none";
                app_id?: string;
                installation_id?: string;
                has_private_key: boolean;
                has_token: boolean;
                has_webhook_secret: boolean;
            };
            webhook_url?: string;
            /** @description When its host answered last; to the minute */
            last_success_at: string | null;
            /** @description When and why its host did not; an older one than last_success_at is over */
            last_failure: {
                /** Format: date-time */
                at: string;
                reason: string;
            } | null;
            /** @description What the last test call found of the host's webhook; null before the first */
            webhook_check: {
                /** Format: date-time */
                at: string;
                repository: string;
                /**
                 * @description absent: none that leads here; unknown: the host does not show it, or was not asked
                 * @enum {string}
                 */
                state: "complete" | "incomplete" | "absent" | "unknown";
                /** @description What has to be set on the webhook, in the host's own words */
                missing: string[];
                reason: string | null;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ScmIntegrationPage: {
            items: components["schemas"]["ScmIntegration"][];
            next_cursor: string | null;
        };
        NotificationIntegration: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            /** @enum {string} */
            provider_type: "webhook" | "chat" | "slack" | "teams" | "email";
            enabled: boolean;
            events: ("deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed")[];
            changes_only: boolean;
            stack_label_selector: {
                [key: string]: string;
            };
            provider_config: {
                recipients?: string[];
            };
            auth_config_summary: {
                /** @description A secret for signatures; of email, a password */
                has_secret: boolean;
                header_count: number;
                /** @description Of email: its server; null: the installation's */
                smtp?: {
                    host: string;
                    port: number;
                    /** @enum {string} */
                    security: "tls" | "starttls" | "none";
                    username?: string;
                    from: string;
                } | null;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NotificationIntegrationPage: {
            items: components["schemas"]["NotificationIntegration"][];
            next_cursor: string | null;
        };
        NotificationDelivery: {
            /**
             * Format: uuid
             * @description what the target gets as X-Svc-Delivery
             */
            id: string;
            /** Format: uuid */
            integration_id: string;
            integration_name: string;
            event_type: string;
            stack_id: string | null;
            deployment_id: string | null;
            /** @enum {string} */
            status: "pending" | "dead";
            attempts: number;
            last_status: number | null;
            last_error: string | null;
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
            dead_at: string | null;
        };
        NotificationDeliveryPage: {
            items: components["schemas"]["NotificationDelivery"][];
            next_cursor: string | null;
        };
        DriftItem: {
            stack_id: string;
            stack_name: string;
            stack_labels: {
                [key: string]: string;
            };
            /**
             * @description `unknown` until a check has ended, `failed` when the last one came to nothing
             * @enum {string}
             */
            status: "none" | "drifted" | "unknown" | "failed";
            /** @description When it became that; null where nothing was ever checked */
            since: string | null;
            checked_at: string | null;
            /** @description The check that the status is of */
            checked_deployment_id: string | null;
            /** @description Why the last check failed */
            error: string | null;
            /** @description Drifted addresses that are not ignored */
            total: number;
            ignored: number;
            next_check_at: string | null;
            /** @description Why the check that was due has not begun yet; it is tried again at `next_check_at` */
            put_off: ("lane_busy" | "held" | "never_applied" | "group_full" | "no_runner_group" | "no_runner" | "budget" | "gave_way" | "cancelled" | "applied_meanwhile") | null;
            /** @description The check that is under way */
            running_deployment_id: string | null;
            /** @description The deployment that was made to undo drift last */
            reconcile_deployment_id: string | null;
        };
        DriftPage: {
            items: components["schemas"]["DriftItem"][];
            next_cursor: string | null;
        };
        DriftPolicy: {
            /** @default true */
            enabled: boolean;
            /** @default null */
            interval: string | null;
            /** @default null */
            cron: string | null;
            /** @default UTC */
            time_zone: string;
            /**
             * @description What follows from drift: nothing, a plan that a person confirms, or one that the stack's own approval mode applies
             * @default off
             * @enum {string}
             */
            reconcile: "off" | "plan" | "auto";
            /**
             * @description Addresses that are no drift; `*` stands for any text
             * @default []
             */
            ignore: string[];
        };
        StackDrift: {
            /**
             * @description `unknown` until a check has ended, `failed` when the last one came to nothing
             * @enum {string}
             */
            status: "none" | "drifted" | "unknown" | "failed";
            /** @description When it became that; null where nothing was ever checked */
            since: string | null;
            checked_at: string | null;
            /** @description The check that the status is of */
            checked_deployment_id: string | null;
            /** @description Why the last check failed */
            error: string | null;
            /** @description Drifted addresses that are not ignored */
            total: number;
            ignored: number;
            next_check_at: string | null;
            /** @description Why the check that was due has not begun yet; it is tried again at `next_check_at` */
            put_off: ("lane_busy" | "held" | "never_applied" | "group_full" | "no_runner_group" | "no_runner" | "budget" | "gave_way" | "cancelled" | "applied_meanwhile") | null;
            /** @description The check that is under way */
            running_deployment_id: string | null;
            /** @description The deployment that was made to undo drift last */
            reconcile_deployment_id: string | null;
            /** @description The drifted addresses, as shown in the plan; at most 500 of `total` */
            resources: {
                address: string;
                action: string;
            }[];
            /** @description The stack's own; null where schedules count */
            policy: components["schemas"]["DriftPolicy"] | null;
            /** @description What counts; null: the stack is not checked */
            effective: components["schemas"]["DriftPolicy"] | null;
            /** @description The schedule that `effective` comes from */
            schedule: {
                id: string;
                name: string;
            } | null;
        };
        DriftSchedule: {
            id: string;
            org_id: string;
            name: string;
            selector: {
                [key: string]: string;
            };
            policy: components["schemas"]["DriftPolicy"];
            created_at: string;
            updated_at: string;
        };
        DriftSchedulePage: {
            items: components["schemas"]["DriftSchedule"][];
            next_cursor: string | null;
        };
        Policy: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            description: string;
            /** @enum {string} */
            enforcement: "shadow" | "advisory" | "mandatory";
            selector: {
                [key: string]: string;
            };
            modes: ("plan" | "destroy" | "refresh")[];
            /** @description The version that counts; null: none does, and the policy says nothing */
            version: number | null;
            /** @description The newest version, whether it counts or not */
            last_version: number;
            /** @description Of the version that counts */
            kind: ("rules" | "rego" | "bundle") | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PolicyPage: {
            items: components["schemas"]["Policy"][];
            next_cursor: string | null;
        };
        PolicyRules: {
            /**
             * @description May not be destroyed, replaced or forgotten
             * @default []
             */
            protected_types: string[];
            /**
             * @description Resources that one plan may destroy, replace or forget
             * @default null
             */
            max_destroys: number | null;
            /** @default null */
            windows: {
                time_zone: string;
                /**
                 * @description When plans may be applied, by the clocks of the time zone; none: at any hour
                 * @default []
                 */
                open: {
                    days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
                    from: string;
                    /** @description Not before `from`: a night is two openings */
                    to: string;
                }[];
                /**
                 * @description From one instant to another nothing is applied, with the reason
                 * @default []
                 */
                closed: {
                    /** Format: date-time */
                    from: string;
                    /** Format: date-time */
                    to: string;
                    reason: string;
                }[];
            } | null;
            /**
             * @description What costs attention: who must look at it before it is applied
             * @default []
             */
            attention: {
                /**
                 * @description Counted are changes of these types; none: of any type
                 * @default []
                 */
                types: string[];
                min_changes?: number;
                min_destroys?: number;
                count: number;
                /** @default [] */
                from: string[];
                reason: string;
            }[];
        };
        PolicyResult: {
            /** Format: uuid */
            policy_id: string;
            name: string;
            version: number;
            digest: string;
            /** @enum {string} */
            enforcement: "shadow" | "advisory" | "mandatory";
            /** @description Why what it says does not count for this stack */
            exemption: {
                /** Format: uuid */
                id: string;
                reason: string;
                /** Format: date-time */
                ends_at: string;
            } | null;
            deny: string[];
            warn: string[];
            approvals: {
                count: number;
                from: string[];
                reason: string;
            }[];
            /** @description Why it could not be evaluated */
            error: string | null;
            /** @description When the answer may become another by itself */
            until: string | null;
            duration_ms: number;
        };
        PolicyTest: {
            /**
             * @description What it would come to if the policy were mandatory, and alone
             * @enum {string}
             */
            outcome: "passed" | "warned" | "denied";
            result: components["schemas"]["PolicyResult"];
        };
        PolicyVersion: {
            /** Format: uuid */
            policy_id: string;
            version: number;
            /** @enum {string} */
            kind: "rules" | "rego" | "bundle";
            /** @description SHA-256 of the content as it was given */
            digest: string;
            created_by: string;
            /** @enum {string} */
            created_by_kind: "user" | "service_account" | "operator";
            /** Format: date-time */
            created_at: string;
        };
        PolicyVersionPage: {
            items: components["schemas"]["PolicyVersion"][];
            next_cursor: string | null;
        };
        OnePolicyVersion: {
            /** Format: uuid */
            policy_id: string;
            version: number;
            /** @enum {string} */
            kind: "rules" | "rego" | "bundle";
            /** @description SHA-256 of the content as it was given */
            digest: string;
            created_by: string;
            /** @enum {string} */
            created_by_kind: "user" | "service_account" | "operator";
            /** Format: date-time */
            created_at: string;
            rules: components["schemas"]["PolicyRules"] | null;
            /** @description Rego, where it was uploaded as such */
            source: string | null;
        };
        PolicyExemption: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            policy_id: string;
            stack_id: string;
            reason: string;
            /** Format: date-time */
            ends_at: string;
            created_by: string;
            /** @enum {string} */
            created_by_kind: "user" | "service_account" | "operator";
            /** Format: date-time */
            created_at: string;
        };
        PolicyExemptionPage: {
            items: components["schemas"]["PolicyExemption"][];
            next_cursor: string | null;
        };
        PolicyEvaluation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            plan_run_id: string;
            /**
             * @description `void`: its plan was replaced or ended before it was done
             * @enum {string}
             */
            status: "pending" | "done" | "void";
            outcome: ("passed" | "warned" | "denied") | null;
            results: components["schemas"]["PolicyResult"][];
            /** @description Null: the end of the plan, or an hour at which the answer may become another */
            requested_by: string | null;
            /** Format: date-time */
            created_at: string;
            completed_at: string | null;
            overridden_by: string | null;
            overridden_at: string | null;
            override_reason: string | null;
        };
        PolicyEvaluationPage: {
            items: components["schemas"]["PolicyEvaluation"][];
            next_cursor: string | null;
        };
        StackLifetime: {
            /** @description Null: the stack stays */
            expires_at: string | null;
            remind_before: string | null;
            /** @description Of whoever set or prolonged it last */
            reason: string | null;
            set_by: string | null;
            set_at: string | null;
            /** @description `failed`: the destroy came to nothing, and the stack stays until somebody acts */
            phase: ("alive" | "destroying" | "failed") | null;
            reminded_at: string | null;
            destroy_deployment_id: string | null;
            error: string | null;
            /** @description Why what is due has not begun; it is tried again at `next_at` */
            put_off: ("held" | "busy" | "quota") | null;
            next_at: string | null;
        };
        ScheduleOccurrence: {
            /** Format: date-time */
            occurs_at: string;
            /** @description Stacks on which it is still to be settled */
            due: number;
            created: number;
            skipped: number;
            failed: number;
            /** @description Why a stack was left out; of several, the first by the alphabet */
            reason: ("held" | "deleted" | "paused" | "earlier_open" | "overtaken") | null;
            /** @description Why a deployment could not be made, or not yet */
            error: string | null;
            /** @description Of several, the newest */
            deployment_id: string | null;
            deployment_status: string | null;
        };
        Schedule: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            /** @description Null: it is of the stacks that `selector` fits */
            stack_id: string | null;
            selector: {
                [key: string]: string;
            } | null;
            name: string;
            /** @enum {string} */
            mode: "plan" | "refresh" | "destroy" | "raw";
            /** @description Of a command, whose script nobody is shown */
            command_bytes: number | null;
            at: string | null;
            cron: string | null;
            time_zone: string;
            paused: boolean;
            /** @description Null while paused, and when no occurrence is left */
            next_at: string | null;
            last: components["schemas"]["ScheduleOccurrence"] | null;
            created_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SchedulePage: {
            items: components["schemas"]["Schedule"][];
            next_cursor: string | null;
        };
        ApprovalRule: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            name: string;
            selector: {
                [key: string]: string;
            };
            modes: ("plan" | "destroy" | "refresh")[];
            previews: boolean;
            destructive: boolean;
            count: number;
            approvers: {
                roles: string[];
                groups: {
                    identity_source_id: string;
                    group_key: string;
                }[];
                service_accounts: string[];
            };
            deadline: string | null;
            remind_every: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ApprovalRulePage: {
            items: components["schemas"]["ApprovalRule"][];
            next_cursor: string | null;
        };
        Live: {
            items: {
                deployment: string;
                stack: string;
                /** @enum {string} */
                status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                version: string;
            }[];
            truncated: boolean;
        };
        StackOutput: {
            name: string;
            /** @description As JSON, as the engine writes types */
            type: string;
            sensitive: boolean;
            /** @description As JSON with the engine's own digits; null of what is sensitive and not revealed */
            value: string | null;
        };
        StackOutputs: {
            /** @description False before the first apply, and when the newest one has told none */
            known: boolean;
            /** @description The newest apply that succeeded, or a newer plan that had nothing to change */
            run_id: string | null;
            deployment_id: string | null;
            /** @description When that run ended */
            as_of: string | null;
            items: components["schemas"]["StackOutput"][];
            /** @description Stacks whose next apply deploys this one, since its newest plan lacked an output of theirs; the id is null of one that the caller may not read */
            waits_for: {
                stack_id: string | null;
                /** Format: date-time */
                since: string;
            }[];
        };
        OutputReader: {
            /** @description The stack that is given the outputs */
            stack_id: string;
            /** @description Whether it is given what is sensitive, too */
            sensitive: boolean;
            /** Format: date-time */
            created_at: string;
        };
        StateLock: {
            locked: boolean;
            id: string | null;
            operation: string | null;
            /** @description As the engine says it */
            who: string | null;
            engine_version: string | null;
            locked_at: string | null;
            run_id: string | null;
            locked_by: components["schemas"]["Actor"] | null;
        };
        StateVersion: {
            /** Format: uuid */
            id: string;
            /** @description Rises by one with each version of the stack */
            number: number;
            /** @description Whether it is the state of the stack */
            is_newest: boolean;
            serial: number;
            lineage: string;
            engine_version: string | null;
            /** @description Managed ones; null where an engine has encrypted them */
            resources: number | null;
            size: number;
            sha256: string;
            /** @enum {string} */
            origin: "run" | "push" | "rollback";
            /** @description Of a rollback: the number of the version whose body it has */
            restores: number | null;
            run_id: string | null;
            deployment_id: string | null;
            created_by: components["schemas"]["Actor"] | null;
            /** Format: date-time */
            created_at: string;
        };
        StateVersionPage: {
            items: components["schemas"]["StateVersion"][];
            next_cursor: string | null;
        };
        StateChanges: {
            from: string | null;
            /** Format: uuid */
            to: string;
            items: {
                /** @enum {string} */
                kind: "resource" | "data" | "output";
                address: string;
                /** @enum {string} */
                action: "add" | "change" | "destroy";
                /** @description Of a change: names of the attributes that have another value */
                attributes: string[];
            }[];
            /** @description False where there are more changes than are listed */
            complete: boolean;
        };
        RunContext: {
            run: {
                id: string;
                org_id: string;
                /** @enum {string} */
                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                state_locked: boolean;
                plan_run_id: string | null;
                plan_sha256: string | null;
                tree_sha256?: string | null;
                targets: string[];
                excludes: string[];
                replaces: string[];
            };
            deployment: {
                id: string;
                mode: string;
                origin_type: string;
                commit_sha: string;
            };
            stack: {
                id: string;
                key?: string;
                name: string;
                working_directory: string;
                /** @enum {string} */
                tool: "terraform" | "tofu";
                tool_version: string | null;
                labels: {
                    [key: string]: string;
                };
            };
            source: {
                /** @constant */
                type: "git";
                repository_url: string;
                branch: string;
                commit_sha: string;
                pull_request?: number;
                describe_commit?: boolean;
                must_be_on_branch?: boolean;
            } | {
                /** @constant */
                type: "local";
                sha256: string;
                size: number;
            };
            raw?: {
                script: string;
            };
            hooks?: {
                before_plan?: string;
                after_plan?: string;
                before_apply?: string;
                after_apply?: string;
            };
            environment: {
                name: string;
                value: string;
                secret: boolean;
            }[];
            changed_since_plan?: {
                name: string;
                /** @description Null unless it is a secret today */
                secret_now: string | null;
            }[];
            runtime_credentials: {
                provider_type: string;
                profiles: {
                    [key: string]: {
                        [key: string]: string;
                    };
                };
                expires_at: string;
            }[];
            identities?: {
                provider_type: string;
                name: string;
                token: string;
                expires_at: string;
                /** @description Seconds from now, whatever the runner's clock says */
                expires_in: number;
                /** @description What the run's tools have to know besides; no secret */
                settings: {
                    [key: string]: string;
                };
            }[];
            scm_credentials: {
                username: string;
                password: string;
                integration?: string;
                /** @description For submodules and private modules */
                owner?: {
                    username: string;
                    password: string;
                };
            } | null;
            state?: {
                /** @enum {string} */
                mode: "auto" | "hosted";
                token: string | null;
                has_versions: boolean;
            };
            traceparent?: string;
            limits: {
                max_run_duration_seconds: number;
                log_chunk_bytes: number;
                artifact_bytes: number;
                tree_bytes?: number;
            };
        };
        RunInputs: {
            /** @description Empty when something is missing */
            environment: {
                name: string;
                value: string;
                secret: boolean;
            }[];
            missing: string[];
            /** @description Whether the stack is planned again once what is missing was applied */
            waits: boolean;
        };
    };
    responses: {
        /** @description Malformed: not what HTTP or JSON allows */
        400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not authenticated */
        401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not allowed in this organization */
        403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Missing, or not for the caller to see: the two look alike */
        404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflicts with the present state; nothing was changed */
        409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large */
        413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is of another media type */
        415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A value is not allowed; `errors` names the fields */
        422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests; see Retry-After */
        429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The address and the header fields are too large together */
        431: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An error of ours; the request id finds it in the log */
        500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A host that was asked on the caller's behalf gave no usable answer */
        502: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Cannot be served now; see Retry-After */
        503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    discoverIssuer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        issuer: string;
                        jwks_uri: string;
                        response_types_supported: string[];
                        subject_types_supported: string[];
                        id_token_signing_alg_values_supported: string[];
                        scopes_supported: string[];
                        claims_supported: string[];
                    };
                };
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    whoAmI: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listSignInProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInProvider"][];
                };
            };
            400: components["responses"]["400"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listOrganizationSignInProviders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                handle: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationSignInProvider"][];
                };
            };
            400: components["responses"]["400"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    startSignIn: {
        parameters: {
            query?: {
                /** @description A path of this service to end at */
                return_to?: string;
            };
            header?: never;
            path: {
                provider_key: "codehost" | "workspace" | "oidc";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the identity provider */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    startOrganizationSignIn: {
        parameters: {
            query?: {
                /** @description A path of this service to end at */
                return_to?: string;
            };
            header?: never;
            path: {
                handle: string;
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the identity provider */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    finishSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To where the sign-in was begun, signed in */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    startLinking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                provider_key: "codehost" | "workspace" | "oidc";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A path of this service to end at */
                    return_to?: string;
                    /** @description The organization's login handle */
                    org?: string;
                    /** @description The slug of its source */
                    source?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkingStarted"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    showConfirmationPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["400"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getSignInConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                confirmation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInConfirmation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    confirmSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                confirmation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmedSignIn"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    declineSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                confirmation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listIdentities: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                identity_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listIdentitySources: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "source_slug";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["IdentitySource"][];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createIdentitySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    provider_key: "codehost" | "workspace" | "oidc";
                    source_slug: string;
                    display_name: string;
                    /** @default true */
                    enabled?: boolean;
                    oidc_issuer?: string;
                    oidc_client_id?: string;
                    oidc_groups_claim?: string;
                    groups_scope?: string | null;
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentitySource"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getIdentitySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentitySource"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceIdentitySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    display_name: string;
                    /** @default true */
                    enabled?: boolean;
                    oidc_issuer?: string;
                    oidc_client_id?: string;
                    oidc_groups_claim?: string;
                    groups_scope?: string | null;
                    client_secret?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentitySource"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteIdentitySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    testIdentitySource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listProofs: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationProofPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    kind: "domain";
                    name: string;
                } | {
                    /** @constant */
                    kind: "codehost_org";
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationProof"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    checkProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                proof_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationProof"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                proof_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    showDevicePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["400"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    beginDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What asks, for example `deploy` */
                    client_name: string;
                    /** @description The machine that it runs on, as its people know it */
                    host_name: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunDeviceLogin"];
                };
            };
            400: components["responses"]["400"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    collectDeviceToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    grant_type: "urn:ietf:params:oauth:grant-type:device_code";
                    device_code: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectedDeviceToken"];
                };
            };
            400: components["responses"]["400"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceLogin"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    approveDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    org_id: string;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    denyDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPersonalTokens: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "expires_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["PersonalToken"][];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPersonalToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    org_id: string;
                    name: string;
                    /** Format: duration */
                    lifetime?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPersonalToken"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deletePersonalToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "login";
                order?: "asc" | "desc";
                /** @description How the login begins, in either case; at the workspace it is the e-mail address */
                login_prefix?: string;
                disabled?: "true" | "false";
                is_super_admin?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    disableUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    enableUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    forceLogout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    rebuildMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "enqueued";
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    changeOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    default_runner_group_id?: string | null;
                    max_users?: number;
                    runs_per_hour_limit?: number;
                    login_handle?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "login";
                order?: "asc" | "desc";
                search?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    addMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    user_id: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description The person is asked, and becomes a member by accepting */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    revokeMember: {
        parameters: {
            query?: {
                service_account_tokens?: "end" | "keep";
            };
            header?: never;
            path: {
                org_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "expires_at" | "login";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    provider_key: "codehost" | "workspace" | "oidc";
                    login: string;
                    /** @default [] */
                    role_ids?: string[];
                    /**
                     * Format: duration
                     * @default P14D
                     */
                    lifetime?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default [] */
                    role_ids?: string[];
                    /**
                     * Format: duration
                     * @default P14D
                     */
                    lifetime?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                invitation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listMembershipOffers: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembershipOfferPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    acceptMembershipOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedMembership"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    declineMembershipOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                offer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    permissions: {
                        /** @enum {string} */
                        resource_type: "org" | "member" | "role" | "service_account" | "identity_source" | "stack" | "stack_authz_group" | "cloud_integration" | "label" | "context" | "drift_schedule" | "policy" | "approval_rule" | "runner_group" | "runner" | "scm_integration" | "notification_integration" | "*";
                        /** @enum {string} */
                        action: "read" | "update" | "delete" | "create" | "assign" | "manage" | "deploy" | "confirm" | "review" | "break_glass" | "preview" | "prioritize" | "run_command" | "local_deploy" | "read_state" | "write_state" | "read_outputs" | "override" | "*";
                        /** @default null */
                        resource_pattern?: string | null;
                        /** @default null */
                        authz_group?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    permissions: {
                        /** @enum {string} */
                        resource_type: "org" | "member" | "role" | "service_account" | "identity_source" | "stack" | "stack_authz_group" | "cloud_integration" | "label" | "context" | "drift_schedule" | "policy" | "approval_rule" | "runner_group" | "runner" | "scm_integration" | "notification_integration" | "*";
                        /** @enum {string} */
                        action: "read" | "update" | "delete" | "create" | "assign" | "manage" | "deploy" | "confirm" | "review" | "break_glass" | "preview" | "prioritize" | "run_command" | "local_deploy" | "read_state" | "write_state" | "read_outputs" | "override" | "*";
                        /** @default null */
                        resource_pattern?: string | null;
                        /** @default null */
                        authz_group?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listRoleAssignments: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
                user_id?: string;
                service_account_id?: string;
                role_id?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAssignmentPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    assignRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    role_id: string;
                    user_id?: string;
                    /** Format: uuid */
                    service_account_id?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAssignment"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    unassignRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                assignment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPermissions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listGroupRoleBindings: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "group_key" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupRoleBindingPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createGroupRoleBinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    group_key: string;
                    role_ids: string[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupRoleBinding"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getGroupRoleBinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupRoleBinding"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceGroupRoleBinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    group_key: string;
                    role_ids: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupRoleBinding"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteGroupRoleBinding: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
                binding_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listAccessRules: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRulePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createAccessRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    rule_type: "codehost_org";
                    org: string;
                } | {
                    /** @constant */
                    rule_type: "codehost_team";
                    org: string;
                    team: string;
                } | {
                    /** @constant */
                    rule_type: "workspace_hd";
                    domains: string[];
                } | {
                    /** @constant */
                    rule_type: "oidc_group";
                    group: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteAccessRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                source_id: string;
                rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "occurred_at";
                order?: "asc" | "desc";
                actor_id?: string;
                action?: string;
                resource_type?: string;
                resource_id?: string;
                since?: string;
                until?: string;
                /** @description `jsonl` streams every matching entry, one JSON object a line, without pages */
                format?: "json" | "jsonl";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listInstallationAuditLog: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "occurred_at";
                order?: "asc" | "desc";
                actor_id?: string;
                action?: string;
                resource_type?: string;
                resource_id?: string;
                since?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listServiceAccounts: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default [] */
                    role_ids?: string[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    renameServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    disableServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    enableServiceAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccount"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listServiceAccountTokens: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "expires_at";
                order?: "asc" | "desc";
                /** @description Id of the person who minted it */
                created_by?: string;
            };
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountTokenPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createServiceAccountToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** Format: duration */
                    lifetime?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedServiceAccountToken"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listOrganizationTokens: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "expires_at";
                order?: "asc" | "desc";
                /** @description Id of the person who minted it */
                created_by?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAccountTokenPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteServiceAccountToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                account_id: string;
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listStacks: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "id" | "name" | "created_at" | "updated_at" | "latest_deployment_created_at" | "latest_deployment_completed_at";
                order?: "asc" | "desc";
                /** @description Text that the name contains, in any case; no character in it is a wildcard */
                search?: string;
                /** @description `key=value` pairs joined by commas; a stack must have them all */
                labels?: string;
                /** @description Statuses joined by commas; `none` for stacks never deployed */
                latest_deployment_status?: string;
                /** @description Modes joined by commas; `none` for stacks never deployed */
                latest_deployment_mode?: string;
                latest_deployment_commit_sha?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createStack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    repository_url: string;
                    branch: string;
                    /** @default . */
                    working_directory?: string;
                    /**
                     * @default terraform
                     * @enum {string}
                     */
                    tool?: "terraform" | "tofu";
                    /** @default null */
                    tool_version?: string | null;
                    /** @default {} */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default [] */
                    authz_groups?: string[];
                    /**
                     * @default manual
                     * @enum {string}
                     */
                    pr_plan_mode?: "manual" | "auto";
                    /**
                     * @default manual
                     * @enum {string}
                     */
                    auto_approve_mode?: "manual" | "auto" | "non_destructive";
                    /**
                     * @default auto
                     * @enum {string}
                     */
                    state_mode?: "auto" | "hosted" | "own";
                    /** @default true */
                    deploy_on_push?: boolean;
                    /** @default false */
                    fork_previews?: boolean;
                    /** @default null */
                    preview_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    /** @default null */
                    fork_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    /** @default {} */
                    pr_requirements?: {
                        plan?: ("approved" | "mergeable" | "checks_passed")[];
                        promote?: ("approved" | "mergeable" | "checks_passed")[];
                    };
                    /**
                     * @description Run by /bin/sh -e in the stack's directory; readable by whoever may read the stack
                     * @default {}
                     */
                    hooks?: {
                        before_plan?: string;
                        after_plan?: string;
                        before_apply?: string;
                        after_apply?: string;
                    };
                    /** @default null */
                    queued_timeout?: string | null;
                    /** @default null */
                    confirmation_timeout?: string | null;
                    /** @default null */
                    supersede_age?: string | null;
                    /** @default null */
                    max_run_duration?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceStackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    repository_url: string;
                    branch: string;
                    /** @default . */
                    working_directory?: string;
                    /**
                     * @default terraform
                     * @enum {string}
                     */
                    tool?: "terraform" | "tofu";
                    /** @default null */
                    tool_version?: string | null;
                    /** @default {} */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default [] */
                    authz_groups?: string[];
                    /**
                     * @default manual
                     * @enum {string}
                     */
                    pr_plan_mode?: "manual" | "auto";
                    /**
                     * @default manual
                     * @enum {string}
                     */
                    auto_approve_mode?: "manual" | "auto" | "non_destructive";
                    /**
                     * @default auto
                     * @enum {string}
                     */
                    state_mode?: "auto" | "hosted" | "own";
                    /** @default true */
                    deploy_on_push?: boolean;
                    /** @default false */
                    fork_previews?: boolean;
                    /** @default null */
                    preview_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    /** @default null */
                    fork_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    /** @default {} */
                    pr_requirements?: {
                        plan?: ("approved" | "mergeable" | "checks_passed")[];
                        promote?: ("approved" | "mergeable" | "checks_passed")[];
                    };
                    /**
                     * @description Run by /bin/sh -e in the stack's directory; readable by whoever may read the stack
                     * @default {}
                     */
                    hooks?: {
                        before_plan?: string;
                        after_plan?: string;
                        before_apply?: string;
                        after_apply?: string;
                    };
                    /** @default null */
                    queued_timeout?: string | null;
                    /** @default null */
                    confirmation_timeout?: string | null;
                    /** @default null */
                    supersede_age?: string | null;
                    /** @default null */
                    max_run_duration?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteStack: {
        parameters: {
            query?: {
                force?: "true" | "false";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    changeStackSettings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    repository_url?: string;
                    branch?: string;
                    working_directory?: string;
                    /** @enum {string} */
                    tool?: "terraform" | "tofu";
                    tool_version?: string | null;
                    labels?: {
                        [key: string]: string;
                    };
                    authz_groups?: string[];
                    /** @enum {string} */
                    pr_plan_mode?: "manual" | "auto";
                    /** @enum {string} */
                    auto_approve_mode?: "manual" | "auto" | "non_destructive";
                    /** @enum {string} */
                    state_mode?: "auto" | "hosted" | "own";
                    deploy_on_push?: boolean;
                    fork_previews?: boolean;
                    preview_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    fork_runner_labels?: {
                        [key: string]: string;
                    } | null;
                    pr_requirements?: {
                        plan?: ("approved" | "mergeable" | "checks_passed")[];
                        promote?: ("approved" | "mergeable" | "checks_passed")[];
                    };
                    /** @description Run by /bin/sh -e in the stack's directory; readable by whoever may read the stack */
                    hooks?: {
                        before_plan?: string;
                        after_plan?: string;
                        before_apply?: string;
                        after_apply?: string;
                    };
                    queued_timeout?: string | null;
                    confirmation_timeout?: string | null;
                    supersede_age?: string | null;
                    max_run_duration?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    holdStack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    releaseStack: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stack"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getOrganizationGraph: {
        parameters: {
            query?: {
                /** @description `key=value` pairs joined by commas */
                labels?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgGraph"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDependencies: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dependencies"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDependencyCycles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DependencyCycles"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listResources: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "address";
                order?: "asc" | "desc";
                /** @description Text that the address or the identity contains, in any case; no character in it is a wildcard */
                search?: string;
                /** @description Ids of stacks joined by commas */
                stack?: string;
                /** @description Types joined by commas, such as `aws_vpc` */
                type?: string;
                /** @description Sources of providers joined by commas, such as `registry.terraform.io/hashicorp/aws` */
                provider?: string;
                mode?: ("managed" | "data")[];
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ExploreResource"][];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listFindings: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "kind";
                order?: "asc" | "desc";
                kind?: ("cycle" | "orphan" | "duplicate")[];
                /** @description Ids of stacks joined by commas */
                stack?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ExploreFinding"][];
                        next_cursor: string | null;
                        /** @description null: not computed yet */
                        computed_at: string | null;
                        /** @description false: a budget is exceeded, and how many there are is unknown */
                        cycles_complete: boolean | null;
                        /** @description false: some declarations could not be judged */
                        orphans_complete: boolean | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listCloudProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        provider_type: string;
                    }[];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listCloudIntegrations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["CloudIntegration"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getCloudIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                provider_type: "cloud_a" | "cloud_b" | "aws_identity" | "google_identity" | "azure_identity" | "vault_identity" | "identity_files";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CloudIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    putCloudIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                provider_type: "cloud_a" | "cloud_b" | "aws_identity" | "google_identity" | "azure_identity" | "vault_identity" | "identity_files";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    provider_type: string;
                    config: unknown;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CloudIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteCloudIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                provider_type: "cloud_a" | "cloud_b" | "aws_identity" | "google_identity" | "azure_identity" | "vault_identity" | "identity_files";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listLabels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelsInUse"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getProtectedLabels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedLabels"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceProtectedLabels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    keys: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtectedLabels"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listStackVariables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackVariables"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listContexts: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    variables: {
                        name: string;
                        value?: string;
                        /** @default false */
                        secret?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                context_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                context_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    variables: {
                        name: string;
                        value?: string;
                        /** @default false */
                        secret?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                context_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDispatchBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DispatchBudget"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listRunnerGroups: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunnerGroupPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createRunnerGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default {} */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default 10 */
                    max_concurrent_runs?: number;
                    /**
                     * @description Checks for drift at once, of the runs at once; 0: none
                     * @default 2
                     */
                    max_drift_runs?: number;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyedRunnerGroup"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getRunnerGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunnerGroup"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceRunnerGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default {} */
                    labels?: {
                        [key: string]: string;
                    };
                    /** @default 10 */
                    max_concurrent_runs?: number;
                    /**
                     * @description Checks for drift at once, of the runs at once; 0: none
                     * @default 2
                     */
                    max_drift_runs?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunnerGroup"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteRunnerGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    changeRunnerGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    labels?: {
                        [key: string]: string;
                    };
                    max_concurrent_runs?: number;
                    /** @description Checks for drift at once, of the runs at once; 0: none */
                    max_drift_runs?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunnerGroup"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getRunnerGroupQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupQueue"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    rotateRunnerGroupKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyedRunnerGroup"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listRunners: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "last_seen_at";
                order?: "asc" | "desc";
                group_id?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunnerPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteRunner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                runner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "completed_at";
                order?: "asc" | "desc";
                status?: ("queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped")[];
                /** @description All but checks for drift when absent */
                mode?: ("plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift")[];
                origin_type?: ("manual" | "push" | "dependency" | "pull_request" | "promoted_pull_request" | "local" | "drift" | "schedule" | "lifetime")[];
                created_by?: string;
                commit_sha?: string;
                created_after?: string;
                created_before?: string;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            org_id: string;
                            stack_id: string;
                            /** @enum {string} */
                            mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                            /** @enum {string} */
                            status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                            origin_type: string;
                            /**
                             * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                             * @enum {string}
                             */
                            provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                            origin_pr_number: number | null;
                            origin_head_sha: string | null;
                            origin_scm_event_id: string | null;
                            origin_pr_title: string | null;
                            origin_pr_url: string | null;
                            origin_pr_body: string | null;
                            origin_dependency_deployment_id: string | null;
                            origin_dependency_stack_id: string | null;
                            /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                            cascade_stack_path: (string | null)[];
                            commit_sha: string;
                            commit_message: string | null;
                            commit_author: string | null;
                            repository_url: string;
                            branch: string;
                            working_directory: string;
                            tool: string;
                            tool_version: string | null;
                            created_by: string | null;
                            created_by_actor: components["schemas"]["Actor"] | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            prioritized_at: string | null;
                            prioritized_by: string | null;
                            prioritized_by_actor: components["schemas"]["Actor"] | null;
                            waiting_since: string | null;
                            cancel_requested_at: string | null;
                            skipped_reason: string | null;
                            error: string | null;
                            dependents_resolved_at: string | null;
                            command_bytes: number | null;
                            local_source_key: string | null;
                            local_source_sha256: string | null;
                            stages: {
                                stage_id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                                /** @enum {string} */
                                phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                                run_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                completed_at: string | null;
                                run: {
                                    id: string;
                                    /** @enum {string} */
                                    kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                    /** @enum {string} */
                                    status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                    runner_selector: {
                                        [key: string]: string;
                                    };
                                    state_locked: boolean;
                                    plan_run_id: string | null;
                                    targets: string[];
                                    excludes: string[];
                                    replaces: string[];
                                    assigned_runner_id: string | null;
                                    assigned_at: string | null;
                                    assigned_expires_at: string | null;
                                    assignment_attempts: number;
                                    prioritized_at: string | null;
                                    /** Format: date-time */
                                    created_at: string;
                                    first_pending_at: string | null;
                                    started_at: string | null;
                                    completed_at: string | null;
                                    last_seen_at: string | null;
                                    exit_code: number | null;
                                    error: string | null;
                                    plan_summary: {
                                        has_changes: boolean;
                                        counts: {
                                            add: number;
                                            change: number;
                                            destroy: number;
                                            replace: number;
                                            import: number;
                                            forget: number;
                                            move: number;
                                        } | null;
                                        gaps: string[];
                                        /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                        warnings?: string[];
                                    } | null;
                                } | null;
                            }[];
                            queue_position: number | null;
                            blocked_by: string | null;
                            /** @description What keeps its plan from being applied, besides a person's word */
                            gates: {
                                /** @enum {string} */
                                gate: "policy" | "approvals";
                                /**
                                 * @description What a confirmation is answered with
                                 * @enum {string}
                                 */
                                code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                                detail: string;
                                /** Format: date-time */
                                closed_at: string;
                            }[];
                            waiting_for: string | null;
                            /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                            allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    mode: "plan" | "destroy" | "refresh" | "plan_unlocked";
                    commit_sha?: string;
                    /** @description Also a commit that is not on the stack's branch: it gets no secrets and no credentials */
                    allow_foreign?: boolean;
                    targets?: string[];
                    excludes?: string[];
                    replaces?: string[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        /** @description Its workflow's page, where an operator named one */
                        temporal_ui_url: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listDeploymentEvents: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            kind: string;
                            actor_id: string | null;
                            actor_kind: ("user" | "service_account" | "operator") | null;
                            actor: components["schemas"]["Actor"] | null;
                            stage_id: string | null;
                            details: {
                                [key: string]: unknown;
                            };
                            /** Format: date-time */
                            created_at: string;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDeploymentApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentApprovals"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStackQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        holder: {
                            id: string;
                            org_id: string;
                            stack_id: string;
                            /** @enum {string} */
                            mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                            /** @enum {string} */
                            status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                            origin_type: string;
                            /**
                             * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                             * @enum {string}
                             */
                            provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                            origin_pr_number: number | null;
                            origin_head_sha: string | null;
                            origin_scm_event_id: string | null;
                            origin_pr_title: string | null;
                            origin_pr_url: string | null;
                            origin_pr_body: string | null;
                            origin_dependency_deployment_id: string | null;
                            origin_dependency_stack_id: string | null;
                            /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                            cascade_stack_path: (string | null)[];
                            commit_sha: string;
                            commit_message: string | null;
                            commit_author: string | null;
                            repository_url: string;
                            branch: string;
                            working_directory: string;
                            tool: string;
                            tool_version: string | null;
                            created_by: string | null;
                            created_by_actor: components["schemas"]["Actor"] | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            prioritized_at: string | null;
                            prioritized_by: string | null;
                            prioritized_by_actor: components["schemas"]["Actor"] | null;
                            waiting_since: string | null;
                            cancel_requested_at: string | null;
                            skipped_reason: string | null;
                            error: string | null;
                            dependents_resolved_at: string | null;
                            command_bytes: number | null;
                            local_source_key: string | null;
                            local_source_sha256: string | null;
                            stages: {
                                stage_id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                                /** @enum {string} */
                                phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                                run_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                completed_at: string | null;
                                run: {
                                    id: string;
                                    /** @enum {string} */
                                    kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                    /** @enum {string} */
                                    status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                    runner_selector: {
                                        [key: string]: string;
                                    };
                                    state_locked: boolean;
                                    plan_run_id: string | null;
                                    targets: string[];
                                    excludes: string[];
                                    replaces: string[];
                                    assigned_runner_id: string | null;
                                    assigned_at: string | null;
                                    assigned_expires_at: string | null;
                                    assignment_attempts: number;
                                    prioritized_at: string | null;
                                    /** Format: date-time */
                                    created_at: string;
                                    first_pending_at: string | null;
                                    started_at: string | null;
                                    completed_at: string | null;
                                    last_seen_at: string | null;
                                    exit_code: number | null;
                                    error: string | null;
                                    plan_summary: {
                                        has_changes: boolean;
                                        counts: {
                                            add: number;
                                            change: number;
                                            destroy: number;
                                            replace: number;
                                            import: number;
                                            forget: number;
                                            move: number;
                                        } | null;
                                        gaps: string[];
                                        /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                        warnings?: string[];
                                    } | null;
                                } | null;
                            }[];
                            queue_position: number | null;
                            blocked_by: string | null;
                            /** @description What keeps its plan from being applied, besides a person's word */
                            gates: {
                                /** @enum {string} */
                                gate: "policy" | "approvals";
                                /**
                                 * @description What a confirmation is answered with
                                 * @enum {string}
                                 */
                                code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                                detail: string;
                                /** Format: date-time */
                                closed_at: string;
                            }[];
                            waiting_for: string | null;
                            /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                            allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        } | null;
                        held_at: string | null;
                        held_by: string | null;
                        held_by_actor: components["schemas"]["Actor"] | null;
                        hold_reason: string | null;
                        queued_count: number;
                        /** @description The first 100, in queue order */
                        items: {
                            id: string;
                            org_id: string;
                            stack_id: string;
                            /** @enum {string} */
                            mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                            /** @enum {string} */
                            status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                            origin_type: string;
                            /**
                             * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                             * @enum {string}
                             */
                            provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                            origin_pr_number: number | null;
                            origin_head_sha: string | null;
                            origin_scm_event_id: string | null;
                            origin_pr_title: string | null;
                            origin_pr_url: string | null;
                            origin_pr_body: string | null;
                            origin_dependency_deployment_id: string | null;
                            origin_dependency_stack_id: string | null;
                            /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                            cascade_stack_path: (string | null)[];
                            commit_sha: string;
                            commit_message: string | null;
                            commit_author: string | null;
                            repository_url: string;
                            branch: string;
                            working_directory: string;
                            tool: string;
                            tool_version: string | null;
                            created_by: string | null;
                            created_by_actor: components["schemas"]["Actor"] | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            prioritized_at: string | null;
                            prioritized_by: string | null;
                            prioritized_by_actor: components["schemas"]["Actor"] | null;
                            waiting_since: string | null;
                            cancel_requested_at: string | null;
                            skipped_reason: string | null;
                            error: string | null;
                            dependents_resolved_at: string | null;
                            command_bytes: number | null;
                            local_source_key: string | null;
                            local_source_sha256: string | null;
                            stages: {
                                stage_id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                                /** @enum {string} */
                                phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                                run_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                completed_at: string | null;
                                run: {
                                    id: string;
                                    /** @enum {string} */
                                    kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                    /** @enum {string} */
                                    status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                    runner_selector: {
                                        [key: string]: string;
                                    };
                                    state_locked: boolean;
                                    plan_run_id: string | null;
                                    targets: string[];
                                    excludes: string[];
                                    replaces: string[];
                                    assigned_runner_id: string | null;
                                    assigned_at: string | null;
                                    assigned_expires_at: string | null;
                                    assignment_attempts: number;
                                    prioritized_at: string | null;
                                    /** Format: date-time */
                                    created_at: string;
                                    first_pending_at: string | null;
                                    started_at: string | null;
                                    completed_at: string | null;
                                    last_seen_at: string | null;
                                    exit_code: number | null;
                                    error: string | null;
                                    plan_summary: {
                                        has_changes: boolean;
                                        counts: {
                                            add: number;
                                            change: number;
                                            destroy: number;
                                            replace: number;
                                            import: number;
                                            forget: number;
                                            move: number;
                                        } | null;
                                        gaps: string[];
                                        /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                        warnings?: string[];
                                    } | null;
                                } | null;
                            }[];
                            queue_position: number | null;
                            blocked_by: string | null;
                            /** @description What keeps its plan from being applied, besides a person's word */
                            gates: {
                                /** @enum {string} */
                                gate: "policy" | "approvals";
                                /**
                                 * @description What a confirmation is answered with
                                 * @enum {string}
                                 */
                                code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                                detail: string;
                                /** Format: date-time */
                                closed_at: string;
                            }[];
                            waiting_for: string | null;
                            /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                            allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        }[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    retryDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    confirmDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    action: "apply" | "replan" | "skip";
                    /** Format: uuid */
                    plan_run_id?: string;
                    /** @description Why it cannot wait for the approvals it needs; it is applied without them. Needs (stack, break_glass) too, and everybody is told. */
                    break_glass?: string;
                    targets?: string[];
                    excludes?: string[];
                    replaces?: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    confirmPreviewDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Why it cannot wait for the approvals it needs; it is applied without them. Needs (stack, break_glass) too, and everybody is told. */
                    break_glass?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    reviewDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    verdict: "approve" | "reject";
                    comment?: string;
                    /**
                     * Format: uuid
                     * @description The plan that was looked at; left out only for a preview that nobody has started
                     */
                    plan_run_id?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    skipDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    prioritizeDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deprioritizeDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    cancelDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    skipDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            id: string;
                            http_status: number;
                            code?: string;
                            detail?: string;
                            deployment_status?: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    cancelDeployments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    ids: string[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            id: string;
                            http_status: number;
                            code?: string;
                            detail?: string;
                            deployment_status?: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listAllDeployments: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
                status?: ("queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped")[];
                /** @description All but checks for drift when absent */
                mode?: ("plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift")[];
                origin_type?: ("manual" | "push" | "dependency" | "pull_request" | "promoted_pull_request" | "local" | "drift" | "schedule" | "lifetime")[];
                created_by?: string;
                commit_sha?: string;
                created_after?: string;
                created_before?: string;
                /** @description `key=value` pairs joined by commas, of the stack; all must fit */
                labels?: string;
                /** @description Those that wait for somebody: for anything, or for approvals */
                waiting_for?: "person" | "approval";
                /** @description Of these, those that the caller may confirm now, or whose missing approval the caller could give */
                actionable?: "me";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            org_id: string;
                            stack_id: string;
                            /** @enum {string} */
                            mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                            /** @enum {string} */
                            status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                            origin_type: string;
                            /**
                             * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                             * @enum {string}
                             */
                            provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                            origin_pr_number: number | null;
                            origin_head_sha: string | null;
                            origin_scm_event_id: string | null;
                            origin_pr_title: string | null;
                            origin_pr_url: string | null;
                            origin_pr_body: string | null;
                            origin_dependency_deployment_id: string | null;
                            origin_dependency_stack_id: string | null;
                            /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                            cascade_stack_path: (string | null)[];
                            commit_sha: string;
                            commit_message: string | null;
                            commit_author: string | null;
                            repository_url: string;
                            branch: string;
                            working_directory: string;
                            tool: string;
                            tool_version: string | null;
                            created_by: string | null;
                            created_by_actor: components["schemas"]["Actor"] | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            prioritized_at: string | null;
                            prioritized_by: string | null;
                            prioritized_by_actor: components["schemas"]["Actor"] | null;
                            waiting_since: string | null;
                            cancel_requested_at: string | null;
                            skipped_reason: string | null;
                            error: string | null;
                            dependents_resolved_at: string | null;
                            command_bytes: number | null;
                            local_source_key: string | null;
                            local_source_sha256: string | null;
                            stages: {
                                stage_id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                                /** @enum {string} */
                                phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                                run_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                completed_at: string | null;
                                run: {
                                    id: string;
                                    /** @enum {string} */
                                    kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                    /** @enum {string} */
                                    status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                    runner_selector: {
                                        [key: string]: string;
                                    };
                                    state_locked: boolean;
                                    plan_run_id: string | null;
                                    targets: string[];
                                    excludes: string[];
                                    replaces: string[];
                                    assigned_runner_id: string | null;
                                    assigned_at: string | null;
                                    assigned_expires_at: string | null;
                                    assignment_attempts: number;
                                    prioritized_at: string | null;
                                    /** Format: date-time */
                                    created_at: string;
                                    first_pending_at: string | null;
                                    started_at: string | null;
                                    completed_at: string | null;
                                    last_seen_at: string | null;
                                    exit_code: number | null;
                                    error: string | null;
                                    plan_summary: {
                                        has_changes: boolean;
                                        counts: {
                                            add: number;
                                            change: number;
                                            destroy: number;
                                            replace: number;
                                            import: number;
                                            forget: number;
                                            move: number;
                                        } | null;
                                        gaps: string[];
                                        /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                        warnings?: string[];
                                    } | null;
                                } | null;
                            }[];
                            queue_position: number | null;
                            blocked_by: string | null;
                            /** @description What keeps its plan from being applied, besides a person's word */
                            gates: {
                                /** @enum {string} */
                                gate: "policy" | "approvals";
                                /**
                                 * @description What a confirmation is answered with
                                 * @enum {string}
                                 */
                                code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                                detail: string;
                                /** Format: date-time */
                                closed_at: string;
                            }[];
                            waiting_for: string | null;
                            /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                            allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listDependents: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Only dependents in one of these states; those you may not read are left out */
                state?: ("open" | "triggered" | "manual" | "skipped" | "failed")[];
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null while dependents are still to be triggered, and for what applied nothing */
                        dependents_resolved_at: string | null;
                        items: {
                            /** @description The caller may not read this stack: nothing else is told of it */
                            restricted: boolean;
                            dependent_stack_id: string | null;
                            dependent_stack_deleted: boolean | null;
                            /** @description open: still to be triggered; manual: waits for a person; failed: see error */
                            state: ("open" | "triggered" | "manual" | "skipped" | "failed") | null;
                            /** @description What its dependencies on the applied stack come to */
                            trigger: ("always" | "manual" | "never") | null;
                            /** @description Why always became manual */
                            demotion_reason: ("on_cycle" | "cycle_unknown" | "over_budget" | "in_cascade" | "parent_refreshed") | null;
                            /** @description Why it was not triggered by itself */
                            skipped_reason: ("manual_trigger" | "never_trigger" | "not_affected" | "parent_destroyed" | "cascade_too_deep" | "stack_deleted") | null;
                            evidence: ("declared" | "inferred" | "both") | null;
                            triggering_resources: {
                                /** @description Null: the whole stack */
                                parent_resource: string | null;
                                /** @description Null: the whole stack */
                                dependent_resource: string | null;
                                /** @enum {string} */
                                provenance: "declared" | "inferred" | "both";
                            }[];
                            /** @description How many more there are than are shown */
                            triggering_resources_remainder: number;
                            triggered_deployment_id: string | null;
                            triggered_deployment_status: ("queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped") | null;
                            error: string | null;
                            /** @description How often it was tried in vain */
                            attempts: number | null;
                            /** @description While it is open, and was tried in vain */
                            next_attempt_at: string | null;
                            /** @description While it is open: why it was put off */
                            last_failure: string | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deployDependent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
                dependent_stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    listPullRequests: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "updated_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            number: number;
                            title: string;
                            url: string;
                            body: string;
                            author: string | null;
                            base_branch: string;
                            head_branch: string;
                            head_sha: string;
                            is_fork: boolean;
                            /** @description Rises whenever head or base becomes another */
                            generation: number;
                            approved: boolean | null;
                            /** @description Why it is not approved, where a stack asks */
                            approved_reason: string | null;
                            mergeable: boolean | null;
                            checks_passed: boolean | null;
                            /** @description Why its checks have not passed, where a stack asks */
                            checks_reason: string | null;
                            latest_deployment_id: string | null;
                            latest_deployment_status: ("queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped") | null;
                            /** @description Conditions of promotion that do not hold for certain */
                            unmet_requirements: ("approved" | "mergeable" | "checks_passed")[];
                            /** @description Whether the latest preview is of the present head and base */
                            preview_is_current: boolean;
                            /** @description Why the code host does not take the preview's commit status as it is now */
                            status_refusal: string | null;
                            /** @description The same of the comment */
                            comment_refusal: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getPullRequestRefresh: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        /** @enum {string} */
                        status: "pending" | "failed";
                        attempts: number;
                        last_error: string | null;
                        /** Format: date-time */
                        created_at: string;
                    } | null;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    refreshPullRequests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event_id: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    promotePullRequest: {
        parameters: {
            query?: {
                force?: "true" | "false";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                        warning?: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    listScmIntegrations: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScmIntegrationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createScmIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description What kind of code host it leads to; Forgejo is gitea. The test call checks it
                     * @default github
                     * @enum {string}
                     */
                    host_kind?: "github" | "gitea" | "gitlab";
                    url_pattern: string;
                    /** @default 100 */
                    priority?: number;
                    /** @default null */
                    api_base_url?: string | null;
                    /**
                     * @description Other names of the code host, as its own for SSH
                     * @default []
                     */
                    host_names?: string[];
                    auth_config?: {
                        /** @enum {string} */
                        kind: "app" | "token" | "none";
                        app_id?: string;
                        installation_id?: string;
                        private_key?: string | null;
                        token?: string | null;
                        webhook_secret?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScmIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getScmIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScmIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceScmIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description What kind of code host it leads to; Forgejo is gitea. The test call checks it
                     * @default github
                     * @enum {string}
                     */
                    host_kind?: "github" | "gitea" | "gitlab";
                    url_pattern: string;
                    /** @default 100 */
                    priority?: number;
                    /** @default null */
                    api_base_url?: string | null;
                    /**
                     * @description Other names of the code host, as its own for SSH
                     * @default []
                     */
                    host_names?: string[];
                    auth_config?: {
                        /** @enum {string} */
                        kind: "app" | "token" | "none";
                        app_id?: string;
                        installation_id?: string;
                        private_key?: string | null;
                        token?: string | null;
                        webhook_secret?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScmIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteScmIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    testScmIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A repository that the integration serves; one of a stack when left out */
                    repository_url?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        ok: boolean;
                        repository: string;
                        reason: string | null;
                        /** @description What was found of the host's webhook; null where the host did not answer */
                        webhook: {
                            /**
                             * @description absent: none that leads here; unknown: the host does not show it, or was not asked
                             * @enum {string}
                             */
                            state: "complete" | "incomplete" | "absent" | "unknown";
                            /** @description What has to be set on the webhook, in the host's own words */
                            missing: string[];
                            reason: string | null;
                        } | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listScmEvents: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
                status?: "pending" | "failed" | "processed" | "dead";
            };
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            id: string;
                            external_event_id: string;
                            /** @enum {string} */
                            kind: "push_branch_changed" | "pr_changed" | "pr_closed" | "pr_refresh_requested";
                            /** @enum {string} */
                            status: "pending" | "failed" | "processed" | "dead";
                            /** @description host/owner/name */
                            repository: string;
                            branch: string;
                            pr_number: number | null;
                            attempts: number;
                            last_error: string | null;
                            /** Format: date-time */
                            due_at: string;
                            /** Format: date-time */
                            created_at: string;
                            processed_at: string | null;
                        }[];
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    retryScmEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        external_event_id: string;
                        /** @enum {string} */
                        kind: "push_branch_changed" | "pr_changed" | "pr_closed" | "pr_refresh_requested";
                        /** @enum {string} */
                        status: "pending" | "failed" | "processed" | "dead";
                        /** @description host/owner/name */
                        repository: string;
                        branch: string;
                        pr_number: number | null;
                        attempts: number;
                        last_error: string | null;
                        /** Format: date-time */
                        due_at: string;
                        /** Format: date-time */
                        created_at: string;
                        processed_at: string | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                integration_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        event_ids: string[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listNotificationIntegrations: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at" | "name";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationIntegrationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createNotificationIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default true */
                    enabled?: boolean;
                    events: ("deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed")[];
                    /** @default false */
                    changes_only?: boolean;
                    /** @default {} */
                    stack_label_selector?: {
                        [key: string]: string;
                    };
                    /**
                     * @default webhook
                     * @enum {string}
                     */
                    provider_type?: "webhook" | "chat" | "slack" | "teams";
                    /** @default {} */
                    provider_config?: Record<string, never>;
                    auth_config?: {
                        /** Format: uri */
                        url: string;
                        secret?: string | null;
                        headers?: {
                            [key: string]: string;
                        } | null;
                    };
                } | {
                    name: string;
                    /** @default true */
                    enabled?: boolean;
                    events: ("deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed")[];
                    /** @default false */
                    changes_only?: boolean;
                    /** @default {} */
                    stack_label_selector?: {
                        [key: string]: string;
                    };
                    /** @constant */
                    provider_type: "email";
                    provider_config: {
                        recipients: string[];
                    };
                    /** @description Absent in a new integration: the installation's mail server */
                    auth_config?: {
                        smtp: {
                            host: string;
                            port: number;
                            /**
                             * @default starttls
                             * @enum {string}
                             */
                            security?: "tls" | "starttls" | "none";
                            username?: string;
                            password?: string | null;
                            /** Format: email */
                            from: string;
                        } | null;
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getNotificationIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                notification_integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceNotificationIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                notification_integration_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default true */
                    enabled?: boolean;
                    events: ("deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed")[];
                    /** @default false */
                    changes_only?: boolean;
                    /** @default {} */
                    stack_label_selector?: {
                        [key: string]: string;
                    };
                    /**
                     * @default webhook
                     * @enum {string}
                     */
                    provider_type?: "webhook" | "chat" | "slack" | "teams";
                    /** @default {} */
                    provider_config?: Record<string, never>;
                    auth_config?: {
                        /** Format: uri */
                        url: string;
                        secret?: string | null;
                        headers?: {
                            [key: string]: string;
                        } | null;
                    };
                } | {
                    name: string;
                    /** @default true */
                    enabled?: boolean;
                    events: ("deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed")[];
                    /** @default false */
                    changes_only?: boolean;
                    /** @default {} */
                    stack_label_selector?: {
                        [key: string]: string;
                    };
                    /** @constant */
                    provider_type: "email";
                    provider_config: {
                        recipients: string[];
                    };
                    /** @description Absent in a new integration: the installation's mail server */
                    auth_config?: {
                        smtp: {
                            host: string;
                            port: number;
                            /**
                             * @default starttls
                             * @enum {string}
                             */
                            security?: "tls" | "starttls" | "none";
                            username?: string;
                            password?: string | null;
                            /** Format: email */
                            from: string;
                        } | null;
                    };
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationIntegration"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteNotificationIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                notification_integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listNotificationDeliveries: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
                status?: "pending" | "dead";
                event_type?: "deployment_created" | "deployment_waiting_for_confirmation" | "deployment_policy_denied" | "deployment_policy_overridden" | "deployment_reviewed" | "deployment_broke_glass" | "approvals_awaited" | "deployment_succeeded" | "deployment_failed" | "deployment_cancelled" | "deployment_skipped" | "deployment_auto_skipped" | "run_failed_to_start" | "run_command_executed" | "preview_ready" | "preview_auto_skipped" | "preview_withdrawn" | "dependent_trigger_failed" | "stack_created" | "stack_deleted" | "stack_renamed" | "stack_synced" | "scm_sync_failed" | "explore_findings_changed" | "runner_group_new_address" | "drift_detected" | "drift_resolved" | "drift_check_failed" | "schedule_missed" | "stack_expiring" | "stack_expiry_failed";
                integration_id?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationDeliveryPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    retryNotificationDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationDelivery"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    testNotificationIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                notification_integration_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        result: "2xx" | "3xx" | "4xx" | "5xx" | "no_answer";
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listDrift: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "since" | "name";
                order?: "asc" | "desc";
                status?: ("none" | "drifted" | "unknown" | "failed")[];
                /** @description `key=value` pairs joined by commas, of the stack; all must fit */
                labels?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStackDrift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackDrift"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceStackDriftPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DriftPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackDrift"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteStackDriftPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackDrift"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    checkStackDrift: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackDrift"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listDriftSchedules: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftSchedulePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createDriftSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    policy: components["schemas"]["DriftPolicy"];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftSchedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getDriftSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftSchedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceDriftSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    policy: components["schemas"]["DriftPolicy"];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftSchedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteDriftSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPolicies: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default  */
                    description?: string;
                    /**
                     * @description What it says is written down, shown to people, or has to be met
                     * @enum {string}
                     */
                    enforcement: "shadow" | "advisory" | "mandatory";
                    /**
                     * @description Labels that a stack must have; none: every stack
                     * @default {}
                     */
                    selector?: {
                        [key: string]: string;
                    };
                    /**
                     * @default [
                     *       "plan",
                     *       "destroy",
                     *       "refresh"
                     *     ]
                     */
                    modes?: ("plan" | "destroy" | "refresh")[];
                    /**
                     * @description Version 1, which counts at once; without it nothing counts yet
                     * @default null
                     */
                    rules?: components["schemas"]["PolicyRules"] | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replacePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default  */
                    description?: string;
                    /**
                     * @description What it says is written down, shown to people, or has to be met
                     * @enum {string}
                     */
                    enforcement: "shadow" | "advisory" | "mandatory";
                    /**
                     * @description Labels that a stack must have; none: every stack
                     * @default {}
                     */
                    selector?: {
                        [key: string]: string;
                    };
                    /**
                     * @default [
                     *       "plan",
                     *       "destroy",
                     *       "refresh"
                     *     ]
                     */
                    modes?: ("plan" | "destroy" | "refresh")[];
                    /** @description The version that counts from now on; null: none */
                    version: number | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deletePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    testPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    stack_id: string;
                    /** Format: uuid */
                    deployment_id: string;
                    /**
                     * Format: uuid
                     * @description One plan; the newest when absent
                     */
                    run_id?: string;
                    /** @description The newest when absent */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyTest"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listPolicyVersions: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPolicyRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    rules: components["schemas"]["PolicyRules"];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPolicyFromRego: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/plain": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPolicyFromBundle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getPolicyVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OnePolicyVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPolicyExemptions: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyExemptionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createPolicyExemption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    stack_id: string;
                    reason: string;
                    /**
                     * Format: date-time
                     * @description Within the next 366 days
                     */
                    ends_at: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyExemption"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deletePolicyExemption: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                policy_id: string;
                exemption_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPolicyEvaluations: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyEvaluationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    evaluatePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    overridePolicies: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The plan that was looked at
                     */
                    plan_run_id: string;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStackLifetime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackLifetime"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    setStackLifetime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description In the future
                     */
                    expires_at: string;
                    /**
                     * Format: duration
                     * @description How long before its end the stack is told to be ending
                     * @default P1D
                     */
                    remind_before?: string;
                    /** @description Shown to whoever is reminded */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackLifetime"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    removeStackLifetime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    prolongStackLifetime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Later than it is now
                     */
                    expires_at?: string;
                    /**
                     * Format: duration
                     * @description From its end, or from now where that has passed
                     */
                    extend_by?: string;
                    /** @description Shown to whoever is reminded */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackLifetime"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listStackSchedules: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createStackSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description `raw` runs `script`
                     * @enum {string}
                     */
                    mode: "plan" | "refresh" | "destroy" | "raw";
                    /** @description Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody */
                    script?: string;
                    /** @default null */
                    at?: string | null;
                    /** @default null */
                    cron?: string | null;
                    /** @default UTC */
                    time_zone?: string;
                    /** @default false */
                    paused?: boolean;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStackSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                stack_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteStackSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                stack_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    changeStackSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                stack_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody */
                    script?: string;
                    /**
                     * Format: date-time
                     * @description Once, then
                     */
                    at?: string;
                    /** @description Five fields, in `time_zone` */
                    cron?: string;
                    time_zone?: string;
                    paused?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /**
                     * @description `raw` runs `script`
                     * @enum {string}
                     */
                    mode: "plan" | "refresh" | "destroy" | "raw";
                    /** @description Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody */
                    script?: string;
                    /** @default null */
                    at?: string | null;
                    /** @default null */
                    cron?: string | null;
                    /** @default UTC */
                    time_zone?: string;
                    /** @default false */
                    paused?: boolean;
                    selector: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                selector_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                selector_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    changeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                selector_schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string;
                    /** @description Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody */
                    script?: string;
                    /**
                     * Format: date-time
                     * @description Once, then
                     */
                    at?: string;
                    /** @description Five fields, in `time_zone` */
                    cron?: string;
                    time_zone?: string;
                    paused?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listApprovalRules: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "name" | "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRulePage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    createApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    /**
                     * @default [
                     *       "plan",
                     *       "destroy",
                     *       "refresh"
                     *     ]
                     */
                    modes?: ("plan" | "destroy" | "refresh")[];
                    /**
                     * @description Also the start of a preview that waits for a person
                     * @default false
                     */
                    previews?: boolean;
                    /**
                     * @description Only plans that destroy, replace or forget something, or are not known not to
                     * @default false
                     */
                    destructive?: boolean;
                    count: number;
                    /** @description Whose approvals count; all lists empty: whoever may review the stack. Accounts count only by name. */
                    approvers: {
                        /** @default [] */
                        roles?: string[];
                        /** @default [] */
                        groups?: {
                            /** Format: uuid */
                            identity_source_id: string;
                            group_key: string;
                        }[];
                        /** @default [] */
                        service_accounts?: string[];
                    };
                    /**
                     * @description How long a plan waits for its approvals before it is skipped
                     * @default null
                     */
                    deadline?: string | null;
                    /**
                     * @description How often `approvals_awaited` is sent while approvals are missing
                     * @default null
                     */
                    remind_every?: string | null;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                approval_rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    replaceApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                approval_rule_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    selector: {
                        [key: string]: string;
                    };
                    /**
                     * @default [
                     *       "plan",
                     *       "destroy",
                     *       "refresh"
                     *     ]
                     */
                    modes?: ("plan" | "destroy" | "refresh")[];
                    /**
                     * @description Also the start of a preview that waits for a person
                     * @default false
                     */
                    previews?: boolean;
                    /**
                     * @description Only plans that destroy, replace or forget something, or are not known not to
                     * @default false
                     */
                    destructive?: boolean;
                    count: number;
                    /** @description Whose approvals count; all lists empty: whoever may review the stack. Accounts count only by name. */
                    approvers: {
                        /** @default [] */
                        roles?: string[];
                        /** @default [] */
                        groups?: {
                            /** Format: uuid */
                            identity_source_id: string;
                            group_key: string;
                        }[];
                        /** @default [] */
                        service_accounts?: string[];
                    };
                    /**
                     * @description How long a plan waits for its approvals before it is skipped
                     * @default null
                     */
                    deadline?: string | null;
                    /**
                     * @description How often `approvals_awaited` is sent while approvals are missing
                     * @default null
                     */
                    remind_every?: string | null;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalRule"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    deleteApprovalRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                approval_rule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    runCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody */
                    script: string;
                    /** @description Why a command is run on a stack whose applies are looked at before. Needs (stack, break_glass), where a policy is about them (policy, override), and everybody is told. */
                    break_glass?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    uploadLocalSource: {
        parameters: {
            query: {
                /** @description Digest of the body; an upload that arrives otherwise is refused */
                sha256: string;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/gzip": string;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        local_source_key: string;
                        local_source_sha256: string;
                        size: number;
                        /**
                         * Format: date-time
                         * @description When it is removed unless a deployment names it
                         */
                        expires_at: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    createLocalPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    local_source_key: string;
                    local_source_sha256: string;
                    commit_sha?: string;
                    targets?: string[];
                    excludes?: string[];
                    replaces?: string[];
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        org_id: string;
                        stack_id: string;
                        /** @enum {string} */
                        mode: "plan" | "destroy" | "refresh" | "plan_unlocked" | "raw" | "drift";
                        /** @enum {string} */
                        status: "queued" | "pending" | "planning" | "waiting" | "applying" | "requested_cancellation" | "cancelling" | "finished" | "failed" | "cancelled" | "skipped";
                        origin_type: string;
                        /**
                         * @description Whether the commit is on the stack's branch, as the code host or the runner knows it
                         * @enum {string}
                         */
                        provenance: "branch" | "pull_request" | "fork" | "promoted" | "local" | "foreign" | "unknown";
                        origin_pr_number: number | null;
                        origin_head_sha: string | null;
                        origin_scm_event_id: string | null;
                        origin_pr_title: string | null;
                        origin_pr_url: string | null;
                        origin_pr_body: string | null;
                        origin_dependency_deployment_id: string | null;
                        origin_dependency_stack_id: string | null;
                        /** @description Stacks whose applies led to it, the first one first; null for one the caller may not read */
                        cascade_stack_path: (string | null)[];
                        commit_sha: string;
                        commit_message: string | null;
                        commit_author: string | null;
                        repository_url: string;
                        branch: string;
                        working_directory: string;
                        tool: string;
                        tool_version: string | null;
                        created_by: string | null;
                        created_by_actor: components["schemas"]["Actor"] | null;
                        /** Format: date-time */
                        created_at: string;
                        completed_at: string | null;
                        prioritized_at: string | null;
                        prioritized_by: string | null;
                        prioritized_by_actor: components["schemas"]["Actor"] | null;
                        waiting_since: string | null;
                        cancel_requested_at: string | null;
                        skipped_reason: string | null;
                        error: string | null;
                        dependents_resolved_at: string | null;
                        command_bytes: number | null;
                        local_source_key: string | null;
                        local_source_sha256: string | null;
                        stages: {
                            stage_id: string;
                            /** @enum {string} */
                            kind: "plan_run" | "apply_run" | "destroy_run" | "refresh_run" | "raw_run" | "confirmation";
                            /** @enum {string} */
                            phase: "waiting" | "running" | "requested_cancellation" | "cancelling" | "done" | "failed" | "cancelled" | "skipped";
                            run_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            completed_at: string | null;
                            run: {
                                id: string;
                                /** @enum {string} */
                                kind: "plan_run" | "destroy_run" | "refresh_run" | "apply_run" | "raw_run";
                                /** @enum {string} */
                                status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                                runner_selector: {
                                    [key: string]: string;
                                };
                                state_locked: boolean;
                                plan_run_id: string | null;
                                targets: string[];
                                excludes: string[];
                                replaces: string[];
                                assigned_runner_id: string | null;
                                assigned_at: string | null;
                                assigned_expires_at: string | null;
                                assignment_attempts: number;
                                prioritized_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                                first_pending_at: string | null;
                                started_at: string | null;
                                completed_at: string | null;
                                last_seen_at: string | null;
                                exit_code: number | null;
                                error: string | null;
                                plan_summary: {
                                    has_changes: boolean;
                                    counts: {
                                        add: number;
                                        change: number;
                                        destroy: number;
                                        replace: number;
                                        import: number;
                                        forget: number;
                                        move: number;
                                    } | null;
                                    gaps: string[];
                                    /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                                    warnings?: string[];
                                } | null;
                            } | null;
                        }[];
                        queue_position: number | null;
                        blocked_by: string | null;
                        /** @description What keeps its plan from being applied, besides a person's word */
                        gates: {
                            /** @enum {string} */
                            gate: "policy" | "approvals";
                            /**
                             * @description What a confirmation is answered with
                             * @enum {string}
                             */
                            code: "malformed_request" | "not_authenticated" | "session_required" | "csrf_refused" | "sign_in_refused" | "fresh_sign_in_required" | "authorization_pending" | "slow_down" | "expired_token" | "access_denied" | "invalid_grant" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "plan_changed" | "policy_pending" | "policy_denied" | "approvals_missing" | "own_change" | "already_triggered" | "trigger_never" | "requirements_not_met" | "preview_not_finished" | "base_diverged" | "base_unknown" | "commit_not_on_branch" | "run_already_terminal" | "accept_response_undeliverable" | "plan_artifact_missing" | "artifact_damaged" | "runner_too_old" | "state_locked" | "state_not_locked" | "state_lineage_differs" | "state_serial_stale" | "state_has_resources" | "state_elsewhere" | "state_in_use" | "idempotency_key_reused" | "payload_too_large" | "headers_too_large" | "unsupported_media_type" | "invalid_value" | "rate_limited" | "seat_limit" | "quota_reached" | "orchestrator_unavailable" | "credentials_unavailable" | "unsupported_runtime_provider" | "runtime_credentials_unavailable" | "key_service_unavailable" | "decryption_failed" | "database_unavailable" | "repository_unreachable" | "storage_unavailable" | "upstream_unavailable" | "internal";
                            detail: string;
                            /** Format: date-time */
                            closed_at: string;
                        }[];
                        waiting_for: string | null;
                        /** @description What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force */
                        allowed_actions: ("confirm" | "confirm_preview" | "review" | "break_glass" | "skip" | "cancel" | "force_cancel" | "prioritize" | "deprioritize" | "retry")[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    readDeploymentLog: {
        parameters: {
            query?: {
                /** @description Id of one stage; all runs in order when absent */
                stage?: string;
                offset?: number;
                limit?: number;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    followOrganization: {
        parameters: {
            query?: {
                /** @description A stack's id */
                stack?: string;
                deployment?: string;
            };
            header?: never;
            path: {
                org_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Live"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getPlan: {
        parameters: {
            query?: {
                /** @description One plan run; the newest when absent */
                run_id?: string;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        run_id: string;
                        /** Format: uuid */
                        stage_id: string;
                        /** @enum {string} */
                        kind: "plan_run" | "destroy_run" | "refresh_run";
                        /** @enum {string} */
                        status: "queued" | "pending" | "assigned" | "running" | "requested_cancellation" | "cancelling" | "success" | "failure" | "cancelled" | "timed_out" | "startup_timeout" | "discarded";
                        targets: string[];
                        excludes: string[];
                        replaces: string[];
                        /** Format: date-time */
                        created_at: string;
                        started_at: string | null;
                        completed_at: string | null;
                        error: string | null;
                        summary: {
                            has_changes: boolean;
                            counts: {
                                add: number;
                                change: number;
                                destroy: number;
                                replace: number;
                                import: number;
                                forget: number;
                                move: number;
                            } | null;
                            gaps: string[];
                            /** @description What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval. */
                            warnings?: string[];
                        } | null;
                        newest: boolean;
                        apply_run_id: string | null;
                        changes: {
                            size: number;
                        } | null;
                        text: {
                            size: number;
                        } | null;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listPlanChanges: {
        parameters: {
            query?: {
                /** @description One plan run; the newest when absent */
                run_id?: string;
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                kind?: ("resource" | "drift" | "output" | "action")[];
                action?: ("add" | "change" | "destroy" | "replace" | "import" | "forget" | "move" | "read" | "invoke" | "other")[];
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: uuid */
                        run_id: string;
                        items: {
                            /** @enum {string} */
                            kind: "resource" | "drift" | "output" | "action";
                            address: string;
                            previous_address?: string;
                            triggered_by?: string;
                            type: string;
                            provider: string;
                            /** @enum {string} */
                            action: "add" | "change" | "destroy" | "replace" | "import" | "forget" | "move" | "read" | "invoke" | "other";
                            actions: string[];
                            reason?: string;
                            replace_paths?: (string | number)[][];
                            hidden_changes?: (string | number)[][];
                            before: unknown;
                            after: unknown;
                        }[];
                        next_cursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            502: components["responses"]["502"];
            503: components["responses"]["503"];
        };
    };
    readPlanText: {
        parameters: {
            query?: {
                /** @description One plan run; the newest when absent */
                run_id?: string;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getStackOutputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackOutputs"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    getStackOutput: {
        parameters: {
            query?: {
                reveal?: "true" | "false";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StackOutput"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    listOutputReaders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["OutputReader"][];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    setOutputReader: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                dependent_stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default false */
                    sensitive?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutputReader"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    removeOutputReader: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                dependent_stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    readState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description There is none */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    writeState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStateLock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateLock"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    lockState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    unlockState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    forceUnlockState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    listStateVersions: {
        parameters: {
            query?: {
                /** @description Rows at most, 1 to 200; 50 when absent */
                limit?: number;
                /** @description `next_cursor` of the page before */
                cursor?: string;
                sort?: "created_at";
                order?: "asc" | "desc";
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateVersionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    getStateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
        };
    };
    downloadStateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    compareStateVersions: {
        parameters: {
            query?: {
                from?: string;
            };
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateChanges"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            413: components["responses"]["413"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    restoreStateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org_id: string;
                stack_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateVersion"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    pollForRun: {
        parameters: {
            query?: {
                /** @description 0 to 50; 0 when absent */
                wait_seconds?: number;
                /** @description What is around each run; without a wall, or unsaid, no preview of foreign code is given */
                isolation?: "bubblewrap" | "user" | "command" | "none";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: string;
                        runner_id: string;
                    };
                };
            };
            /** @description No run; with Retry-After, the organization's budget is spent */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    heartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    version?: string;
                    /** @enum {string} */
                    isolation?: "bubblewrap" | "user" | "command" | "none";
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    reportDispatchFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    run_id: string;
                    /** Format: uuid */
                    runner_id: string;
                    error: string;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    runnerReady: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deregisterRunner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                runner_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    acceptRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description 3: the runner knows states that the service keeps; 2: it applies a plan on the tree that it left; 1 where there is none */
                    protocol?: number;
                    /** @description The runner writes identities to files and keeps them renewed */
                    renews_identities?: boolean;
                    /** @description The runner carries out hooks around plan and apply */
                    runs_hooks?: boolean;
                    /** @description The runner refuses what `source.must_be_on_branch` is not true of */
                    looks_at_branch?: boolean;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunContext"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    readRunStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    acknowledgeCancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    reportRunDone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status: "success" | "failure" | "cancelled" | "timed_out";
                    exit_code?: number | null;
                    plan_summary?: unknown;
                    /** @description Of a refresh_run: what was found changed outside of the engine */
                    drift?: unknown;
                    /** @description Message and author of the commit, when `source.describe_commit` asks for them */
                    commit?: unknown;
                    /** @description True when the runner was to look and has found the commit on the branch */
                    on_branch?: unknown;
                    error?: string | null;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    pushLiveLog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    chunk_index: number;
                    sealed_chunks: number;
                    data: string;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    sealLogChunk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                index: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    downloadArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                kind: "plan" | "analysis" | "plan-json" | "changes" | "plan-text" | "tree";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    uploadArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                kind: "plan" | "analysis" | "plan-json" | "changes" | "plan-text" | "tree";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    storeOutputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Null when they are unknown */
                    outputs: {
                        name: string;
                        type: string;
                        sensitive: boolean;
                        value: string;
                    }[] | null;
                };
            };
        };
        responses: {
            /** @description Done, nothing to say */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    takeInputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    inputs: {
                        variable: string;
                        from_stack: string;
                        output: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunInputs"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    downloadSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    renewIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: {
                            provider_type: string;
                            name: string;
                            token: string;
                            expires_at: string;
                            /** @description Seconds from now, whatever the runner's clock says */
                            expires_in: number;
                            /** @description What the run's tools have to know besides; no secret */
                            settings: {
                                [key: string]: string;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    readRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            /** @description There is none */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    writeRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    deleteRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    lockRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    unlockRunState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            431: components["responses"]["431"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
}
