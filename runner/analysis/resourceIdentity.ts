/** What a resource is in the world, whatever stack looks at it: unique within its realm. */
export interface CloudIdentity {
  realm: string;
  identity: string;
}
