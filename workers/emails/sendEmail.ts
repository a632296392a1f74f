import type { sendCreditNoteEmail, sendInvoiceEmail } from '../../shared/emails';
import { printableLogo } from '../../shared/companies';
import { contentFileName, renderInvoiceEmail } from '../../shared/documents';
import { pagePath } from '../../shared/hostedPages';
import type { LoadedDocument } from '../../shared/invoiceDocuments';
import { DeliveryUncertain, EmailAccountRefused, PdfOfOtherVersion } from '../../shared/engine/errors';
import { Pieces } from '../../shared/engine/fair';
import type { EmailMessage } from '../mail';
import { Snooze, snoozeFor, type Finished, type JobRun } from '../jobs/JobRun';
import { attachedPdf } from './attachedPdf';
import { type Attempt, beginSending, type Envelope, recordSent, releaseEmail } from './emailRow';
import { withinRecipients } from './withinRecipients';

/** The run of any job that sends an e-mail. */
type Run = JobRun<typeof sendInvoiceEmail | typeof sendCreditNoteEmail>;
type Load = () => Promise<LoadedDocument>;

/** How long an e-mail is deferred while the mail provider takes none of the configured account. */
const PAUSED_MS = 1_000;

/** Of so many items and more, reading and hashing take milliseconds. */
const MANY_ITEMS = 100;
const apart = new Pieces(1);
/** What an item of the document costs the event loop, in milliseconds: it is read, written out and hashed. */
const ITEM_MS = 0.025;
/** What a byte of the PDF costs it: the PDF is read, encoded and handed over. One of 8 MB costs 120 ms. */
const BYTE_MS = 15e-6;

/**
 * Sends one e-mail once, with the document that `load` returns. `sending` is committed before the provider is called: a run that finds it
 * cannot know whether the message was sent, so the delivery is uncertain and is not retried.
 */
export async function sendEmail(run: Run, load: Load): Promise<Finished> {
  const { services, mailPause } = run.tools;
  try {
    return await mailPause.around(() => withinRecipients(run, () => sendOnce(run, load)));
  } catch (error) {
    // Nothing is wrong with this message. It waits in the queue, which the pause has stopped.
    if (error instanceof EmailAccountRefused) throw snoozeFor(PAUSED_MS, services.clock, error);
    throw error;
  }
}

async function sendOnce(run: Run, load: Load): Promise<Finished> {
  const { services, email: transport, rateLimits } = run.tools;
  const loaded = await load();
  const { items } = loaded.document;
  run.charge(items.length * ITEM_MS);
  // The runs of a round go on together: of long invoices, one in each iteration of the event loop.
  if (items.length > MANY_ITEMS) await new Promise<void>((goOn) => apart.add(goOn));
  const pdf = await attachedPdf(run, loaded);
  run.charge(pdf.file.length * BYTE_MS);
  if (pdf.documentKey !== loaded.key) throw await whyAnother(run, loaded, load);
  const { logoKey } = loaded.document;
  const logo = logoKey === null ? null : await printableLogo(services, run.companyId, logoKey);
  await rateLimits.email.turn(run);
  const accepted = await sendOrRelease(run, loaded, async (envelope) => {
    const accepted = await transport.send(compose(run, loaded, envelope, { pdf: pdf.file, logo }), run.signal);
    return { recipient: envelope.recipient, kind: envelope.kind, ...accepted };
  });
  if (typeof accepted === 'string') return run.finish(() => Promise.resolve({ emailId: accepted }));
  return run.finishStage(recordSent, { email: run.payload, loaded, accepted });
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
  send: (envelope: Envelope) => Promise<T>,
): Promise<T | string> {
  const { payload: email } = run;
  const attempt: Attempt = { email, loaded, attemptedAt: null, hasLink: run.tools.services.config.linkBase !== null };
  try {
    const envelope = await run.performStage(beginSending, attempt);
    return typeof envelope === 'string' ? envelope : await send(envelope);
  } catch (error) {
    const { attemptedAt } = attempt;
    if (attemptedAt !== null && !(error instanceof DeliveryUncertain)) {
      await run.record((uow) => releaseEmail(uow, email, attemptedAt));
    }
    throw error;
  }
}

function compose(
  run: Run,
  { document }: LoadedDocument,
  envelope: Envelope,
  files: { pdf: Buffer; logo: Buffer | null },
): EmailMessage {
  const { linkBase, email } = run.tools.services.config;
  const { pageToken } = envelope;
  const { subject, text, html, logo } = renderInvoiceEmail(document, {
    message: envelope.message,
    pageUrl: linkBase === null || pageToken === null ? null : linkBase + pagePath(pageToken),
    reminder: envelope.reminder,
    logo: files.logo,
  });
  return {
    ...{ subject, text, html },
    messageId: envelope.messageId,
    from: { name: document.sender.name, address: email.fromAddress || envelope.sender },
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
