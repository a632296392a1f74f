import { REFUSED_MS } from '../../../../api/http/limits/Limits';
import { FairQueue } from '../../../../shared/engine/fair';
import { createCompany } from '../../../support/factories';
import { startApi } from '../../../support/server';

afterEach(() => jest.restoreAllMocks());

test('a request that is refused in its turn › its company is charged for what no meter sees', async () => {
  const api = await startApi();
  const { companyId, token } = await createCompany(api.services);
  const charged = jest.spyOn(FairQueue.prototype, 'chargeFor');
  await api.as(token).get('/api/invoices').expect(200);
  expect(charged).not.toHaveBeenCalled();
  await api.as(token).get('/api/invoices/999999').expect(404);
  expect(charged).toHaveBeenCalledWith(companyId, REFUSED_MS);
});
