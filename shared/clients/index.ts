/** Clients: the recipients of a company's invoices. */
export { Client } from './Client';
export { createClient, createClients, deleteClient, updateClient } from './changeClients';
export { client, type ClientInput, clientKind, clientList, presentClient } from './record';
