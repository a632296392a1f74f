/** What the rest of the program may use of this feature. */
export { Client } from './Client';
export { createClient, createClients, deleteClient, updateClient } from './changeClients';
export { repairClientCounts } from './repairClientCounts';
export { client, type ClientInput, clientKind, clientList, presentClient } from './record';
