import { readFile } from 'node:fs/promises';
import { NotFound } from '../../shared/engine/errors';
import {
  companySchema,
  drawLogo,
  getCompany,
  logoKeyOf,
  printableLogo,
  removeLogo,
  reserveLogo,
  setLogo,
  storeLogo,
} from '../../shared/companies';
import { messageSchema } from '../http/message';
import { ok } from '../http/routing/RouteResponse';
import { route, type Route } from '../http/routing/Route';
import { companyResponse } from './companyResponse';

const tag = 'Company';
const MAX_BYTES = 1024 * 1024;

const headers = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-cache',
};

export const logoRoutes: Route[] = [
  route({
    operationId: 'downloadLogo',
    method: 'GET',
    path: '/api/company/logo',
    scope: 'read',
    tag,
    summary: 'Get the logo',
    success: { headers: ['ETag'], status: 200, description: 'The PNG that invoices show', contentType: 'image/png' },
    failures: { 404: 'The company has no logo.' },
    handle: async ({ services, companyId, turn }) => {
      const { logoKey } = await getCompany(services.sql, companyId);
      const bytes = logoKey === null ? null : await turn.aside(() => printableLogo(services, companyId, logoKey));
      if (logoKey === null || bytes === null) throw new NotFound('logo');
      // The key's name is the hash of the content.
      const etag = `"${logoKey.slice(logoKey.lastIndexOf('/') + 1)}"`;
      return { status: 200, headers: { ...headers, ETag: etag }, file: { contentType: 'image/png', bytes } };
    },
  }),
  route({
    operationId: 'replaceLogo',
    method: 'PUT',
    path: '/api/company/logo',
    scope: 'write',
    tag,
    summary: 'Set the logo: a PNG, JPEG or SVG, recognised by its content; it is drawn once and kept as a PNG',
    upload: { field: 'logo', maxBytes: MAX_BYTES },
    example: { body: { logo: 'logo.png' } },
    success: { headers: ['ETag'], status: 200, description: 'The company with its new logo', schema: companySchema },
    failures: { 409: '`limit_reached`: the company has stored as many logos as it can.' },
    handle: async (call) => {
      const { services, companyId, turn } = call;
      const draw = async (): Promise<Buffer> => drawLogo(await readFile(call.upload.path));
      const png = await turn.aside(() => services.drawing.run(companyId, draw));
      const key = logoKeyOf(companyId, png);
      await services.storeCheck.ensure();
      await services.perform(call, (uow) => reserveLogo(uow, key, png.length, services.config.stored.logos));
      await storeLogo(services.files, companyId, png);
      return call.inUnitOfWork(async (uow) => companyResponse(services, await setLogo(uow, key)));
    },
  }),
  route({
    operationId: 'deleteLogo',
    method: 'DELETE',
    path: '/api/company/logo',
    scope: 'write',
    tag,
    summary: 'Remove the logo: the name of the company takes its place, but for invoices that were sent with it',
    success: { status: 200, description: 'Removed', schema: messageSchema },
    failures: { 404: 'The company has no logo.' },
    handle: (call) =>
      call.inUnitOfWork(async (uow) => {
        await removeLogo(uow);
        return ok({ message: 'Logo deleted successfully' });
      }),
  }),
];
