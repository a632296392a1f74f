import {
  client,
  clientKind,
  clientList,
  createClient,
  deleteClient,
  presentClient,
  updateClient,
} from '../../shared/clients';
import { recordRoutes } from '../http/recordRoutes';

export const clientRoutes = recordRoutes({
  kind: clientKind,
  list: clientList,
  record: client,
  tag: 'Clients',
  names: { one: 'Client', many: 'Clients' },
  summaries: {
    create: 'Create a client',
    get: 'Get a client',
    update: 'Update a client: only supplied fields change, and invoices that were sent keep showing what was sent',
    delete: 'Soft-delete a client: its invoices keep showing it, new ones cannot refer to it',
  },
  present: { listed: presentClient, alone: presentClient, changed: presentClient },
  create: (uow, input) => createClient(uow, input),
  update: updateClient,
  delete: deleteClient,
  examples: {
    list: { search: 'acme' },
    create: { name: 'Awan Studio', email: 'hello@awan.example', address: 'Jl. Kaliurang 5\nYogyakarta 55281' },
    get: 1,
    update: [2, { phone: '+62 31 555 0201' }],
    delete: 3,
  },
});
