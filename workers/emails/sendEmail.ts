import type { sendCreditNoteEmail, sendInvoiceEmail } from '../../shared/emails';
import { printableLogo } from '../../shared/companies';
import { contentFileName, renderInvoiceEmail } from '../../shared/documents';
import { linkToPage } from '../../shared/hostedPages';
import type { LoadedDocument } from '../../shared/invoiceDocuments';
import { DeliveryUncertain, EmailAccountRefused, PdfOfOtherVersion } from '../../shared/engine/errors';
import type { EmailMessage } from '../mail';
import { Snooze, snoozeFor, type Finished, type JobRun } from '../jobs/JobRun';
import { attachedPdf } from './attachedPdf';
import { beginSending, recordSent, releaseEmail, type Envelope } from './emailRow';

/** The run of any job that sends an e-mail. */
type Run = JobRun<typeof sendInvoiceEmail | typeof sendCreditNoteEmail>;
type Load = () => Promise<LoadedDocument>;
type EnvelopeWithLink = Envelope & { pageUrl: string | null };

/** How long an e-mail is deferred while the mail provider does not take the configured credentials. */
const PAUSED_MS = 1_000;

/**
 * Sends one e-mail once, with the document that `load` returns. `sending` is committed before the provider is called: a run that finds it
 * cannot know whether the message was sent, so the delivery is uncertain and is not retried.
 */
export async function sendEmail(run: Run, load: Load): Promise<Finished> {
  const { services, mailPause } = run.tools;
  try {
    return await mailPause.around(() => sendOnce(run, load));
  } catch (error) {
    // Nothing is wrong with this message. It waits in the queue, which the pause has stopped.
    if (error instanceof EmailAccountRefused) throw snoozeFor(PAUSED_MS, services.clock, error);
    throw error;
  }
}

async function sendOnce(run: Run, load: Load): Promise<Finished> {
  const { services, email: transport, rateLimits } = run.tools;
  const loaded = await load();
  const pdf = await attachedPdf(run, loaded);
  if (pdf.documentKey !== loaded.key) throw await whyAnother(run, loaded, load);
  const { logoKey } = loaded.document;
  const logo = logoKey === null ? null : await printableLogo(services, run.companyId, logoKey);
  await rateLimits.email.turn(run.signal);
  const accepted = await sendOrRelease(run, loaded, async (envelope) => {
    const accepted = await transport.send(compose(run, loaded, envelope, { pdf: pdf.file, logo }), run.signal);
    return { recipient: envelope.recipient, kind: envelope.kind, ...accepted };
  });
  return run.finish(async (uow) => {
    if (typeof accepted === 'string') return { emailId: accepted };
    await recordSent(uow, run.payload, loaded, accepted);
    return { emailId: accepted.providerMessageId };
  });
}

/**
 * Returns why the PDF has another key than the document. If the invoice was changed meanwhile, the run begins anew, so that text,
 * attachment and frozen details agree. Otherwise the worker of the PDF has other templates: whether it has drawn the same details is
 * unknown, so the attempt has failed and is retried until all workers have one version.
 */
async function whyAnother({ tools: { services } }: Run, { key }: LoadedDocument, load: Load): Promise<Error> {
  const now = await load();
  return now.key === key ? new PdfOfOtherVersion() : new Snooze(services.clock.now());
}

/**
 * Records that the attempt begins, and sends. If the message was certainly not sent, the status returns to `queued`, so that
 * the next attempt may send. Returns the id of a message that an earlier attempt has sent, as the provider reports.
 */
async function sendOrRelease<T>(
  run: Run,
  loaded: LoadedDocument,
  send: (envelope: EnvelopeWithLink) => Promise<T>,
): Promise<T | string> {
  let begun: Date | undefined;
  try {
    const { linkBase } = run.tools.services.config;
    const { invoiceId } = run.payload;
    const envelope = await run.perform(async (uow) => {
      begun = uow.now;
      const begin = await beginSending(uow, run.payload, loaded);
      if (typeof begin === 'string') return begin;
      return { ...begin, pageUrl: await linkToPage(uow, linkBase, invoiceId, begin.pageToken) };
    });
    return typeof envelope === 'string' ? envelope : await send(envelope);
  } catch (error) {
    const attemptedAt = begun;
    if (attemptedAt !== undefined && !(error instanceof DeliveryUncertain)) {
      await run.record((uow) => releaseEmail(uow, run.payload, attemptedAt));
    }
    throw error;
  }
}

function compose(
  run: Run,
  { document }: LoadedDocument,
  envelope: EnvelopeWithLink,
  files: { pdf: Buffer; logo: Buffer | null },
): EmailMessage {
  const { fromAddress } = run.tools.services.config.email;
  const { subject, text, html, logo } = renderInvoiceEmail(document, {
    message: envelope.message,
    pageUrl: envelope.pageUrl,
    reminder: envelope.reminder,
    logo: files.logo,
  });
  return {
    ...{ subject, text, html },
    messageId: envelope.messageId,
    from: { name: document.sender.name, address: fromAddress || envelope.sender },
    replyTo: envelope.sender,
    to: envelope.to,
    cc: envelope.cc,
    attachments: [
      {
        filename: contentFileName(`${document.corrects ? 'credit-note' : 'invoice'}-${document.invoiceNumber}.pdf`),
        contentType: 'application/pdf',
        content: files.pdf,
      },
      ...(logo === null ? [] : [{ filename: 'logo.png', contentType: 'image/png', ...logo }]),
    ],
  };
}
