import { seedEvents } from '../installation/seedEvents';
import { besideBare } from './apiLoad';
import type { Row } from './Row';

const pageSize = 1_000;
const pages = 20;

export const readEvents: Row = {
  name: 'events',
  what: 'GET /api/events (1,000)',
  limit: { what: 'bare Koa + mysql2, the same query', atLeast: 0.6 },
  async prepare(bench) {
    const { seeded, services } = bench.installation;
    await seedEvents(services, seeded.companyId, pages * pageSize);
    const paths = Array.from({ length: pages }, (_, page) => `/api/events?limit=${pageSize}&after=${page * pageSize}`);
    return besideBare(bench, 'readEvents', { paths });
  },
};
