import { Conflict, GatewayUnavailable } from '../../shared/engine/errors';
import { pagePath, pageToken } from '../../shared/hostedPages';
import { createPaymentLink as contract, isForDue, PaymentLink } from '../../shared/paymentLinks';
import type { GatewayLink } from '../gateways';
import type { Finished, JobHandler, JobRun } from '../jobs/JobRun';
import { planLink, type LinkPlan } from './planLink';
import { recordLink, recordUnmade } from './recordLink';
import { settleLink } from './settleLink';

type Run = JobRun<typeof contract>;

/** If the total changes while the link is created, another link is created: at most this many in one run. */
const MAX_ROUNDS = 3;

/**
 * Creates a link and expires the earlier ones. Each step is committed before the next, so that a run after a crash continues where the last
 * one stopped.
 */
export const createPaymentLink: JobHandler<typeof contract> = {
  contract,

  async run(run) {
    const where = { companyId: run.companyId, invoiceId: run.payload.invoiceId, status: 'superseded' };
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const link = await makeLink(run);
      if (link === null) continue;
      for (const old of await PaymentLink.findAll({ where })) await settleLink(run, old);
      const finished = await finish(run, link);
      if (finished !== null) return finished;
    }
    throw new Conflict('invoice_changing', 'the invoice kept changing while its payment link was made');
  },

  async failed(uow, { invoiceId }, error) {
    await recordUnmade(uow, invoiceId);
    return error;
  },
};

/** Returns the link that this run, or an earlier run of the job, has created; null if the invoice changed meanwhile. */
async function makeLink(run: Run): Promise<PaymentLink | null> {
  const plan = await run.perform((uow) => planLink(uow, run.payload.invoiceId, run));
  if (plan.made) return plan.link;
  const atGateway = await callGateway(run, plan);
  const mayHaveOthers = plan.calledBefore !== null || run.attempt > 1;
  return run.record((uow) => recordLink(uow, plan.link, atGateway, mayHaveOthers));
}

class LinkOutdated extends Error {}

/**
 * Ends the job, or returns null if its link no longer fits the invoice: requests may have shared the job while it expired the earlier
 * links, and must not get this one.
 */
async function finish(run: Run, { id, url }: PaymentLink): Promise<Finished | null> {
  try {
    return await run.finish(async (uow) => {
      if (!(await isForDue(uow, run.payload.invoiceId, id))) throw new LinkOutdated();
      return { paymentLinkId: id, url: url ?? '' };
    });
  } catch (error) {
    if (error instanceof LinkOutdated) return null;
    throw error;
  }
}

async function callGateway(run: Run, { link, calledBefore }: LinkPlan): Promise<GatewayLink> {
  const { gateways, services } = run.tools;
  const { provider, reference, createdAt, amount, currency } = link;
  try {
    const { invoiceNumber, clientEmail, pageToken: token } = await describe(run);
    const { linkBase } = services.config;
    return await gateways.of(provider).findOrCreateLink(
      {
        reference,
        createdAt,
        amount,
        currency,
        description: `Invoice ${invoiceNumber}`,
        payerEmail: clientEmail,
        durationSeconds: services.config.gateway.linkDurationSeconds,
        ...(linkBase !== null && token !== null && { successUrl: `${linkBase}${pagePath(token)}?from=payment` }),
      },
      { calledBefore: calledBefore !== null, caller: run },
    );
  } catch (error) {
    // The call certainly had no effect: only an earlier call may have created a link. Updated by SQL, because a model that was saved in a
    // rolled-back transaction would not be saved again.
    if (!(error instanceof GatewayUnavailable && error.outcomeUnknown)) {
      await run.record(({ companyId, transaction }) =>
        PaymentLink.update({ calledAt: calledBefore }, { where: { companyId, id: link.id }, transaction }),
      );
    }
    throw error;
  }
}

interface PayerFacts {
  invoiceNumber: string;
  clientEmail: string | null;
  pageToken: string | null;
}

async function describe({ tools, companyId, payload }: Run): Promise<PayerFacts> {
  const [row] = await tools.services.sql.rows<PayerFacts>(
    `SELECT i.invoiceNumber, c.email AS clientEmail, ${pageToken} AS pageToken FROM invoices i
       JOIN clients c ON c.companyId = i.companyId AND c.id = i.clientId WHERE i.companyId = ? AND i.id = ?`,
    [companyId, payload.invoiceId],
  );
  if (row === undefined) throw new Error(`invoice ${payload.invoiceId} is not there any more`);
  return row;
}
