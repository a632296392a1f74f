import createCompanies from './20261121090000-create-companies';
import createApiKeys from './20261121090100-create-api-keys';
import createClients from './20261121090200-create-clients';
import createCategories from './20261121090300-create-categories';
import createInvoices from './20261121090400-create-invoices';
import createInvoiceItems from './20261121090500-create-invoice-items';
import createInvoiceNumbers from './20261121090600-create-invoice-numbers';
import createNumberSequences from './20261121090700-create-number-sequences';
import createRecordCounts from './20261121090800-create-record-counts';
import createEvents from './20261121090900-create-events';
import createJobs from './20261121091000-create-jobs';
import createIdempotencyKeys from './20261121091100-create-idempotency-keys';
import createEmails from './20261121091200-create-emails';
import createPaymentLinks from './20261121091300-create-payment-links';
import createPayments from './20261121091400-create-payments';
import createStoredFiles from './20261121091500-create-stored-files';
import createExpenses from './20261121100000-create-expenses';
import addInvoiceSeries from './20261121100100-add-invoice-series';
import addOverdueCheck from './20261121100200-add-overdue-check';
import addStoredAt from './20261121101000-add-stored-at';
import createFileStore from './20261121101100-create-file-store';
import createReceiptUsage from './20261121101200-create-receipt-usage';
import addressesInAscii from './20261122030000-addresses-in-ascii';
import countDeferrals from './20261122050000-count-deferrals';
import createWorkers from './20261122060000-create-workers';
import createQueuePauses from './20261122060100-create-queue-pauses';
import findJobs from './20261122060200-find-jobs';
import indexJobsByState from './20261122070000-index-jobs-by-state';
import addJobOrigin from './20261122080000-add-job-origin';
import addEventNumbers from './20261122090000-add-event-numbers';
import numberOldEvents from './20261122090100-number-old-events';
import indexEventNumbers from './20261122090200-index-event-numbers';
import createEventSequence from './20261122090300-create-event-sequence';
import createWebhookEndpoints from './20261122090400-create-webhook-endpoints';
import createWebhookDeliveries from './20261122090500-create-webhook-deliveries';
import renameEmailRequested from './20261122100000-rename-email-requested';
import addEmailOutcomes from './20261122100100-add-email-outcomes';
import findEmailsByMessage from './20261122100200-find-emails-by-message';
import createEmailReports from './20261122100300-create-email-reports';
import jobsByCompany from './20261123040000-jobs-by-company';
import dueSeriesByCompany from './20261123040100-due-series-by-company';
import indexOverdueInvoices from './20261123040200-index-overdue-invoices';
import polledLinksByCompany from './20261123040300-polled-links-by-company';
import watchedEndpoints from './20261123040400-watched-endpoints';
import removeReplacedLogos from './20261123050000-remove-replaced-logos';
import findWhatHasEnded from './20261123050100-find-what-has-ended';
import createRemovedEvents from './20261123050200-create-removed-events';
import createIdempotencyUsage from './20261123050300-create-idempotency-usage';
import addManualPayments from './20261123080000-add-manual-payments';
import addBrandColor from './20261123120000-add-brand-color';
import addEmailRecipients from './20261123120100-add-email-recipients';
import createHostedPages from './20261124090000-create-hosted-pages';
import addGatewayProvider from './20261124091000-add-gateway-provider';
import findGatewayPayments from './20261124120000-find-gateway-payments';
import createInvoiceDetails from './20261124152500-create-invoice-details';
import createExpenseDetails from './20261124152501-create-expense-details';
import addExactTaxRate from './20261124153500-add-exact-tax-rate';
import addPaymentInstructions from './20261124153600-add-payment-instructions';
import indexListSortings from './20261124154000-index-list-sortings';
import createCreditNotes from './20261124160000-create-credit-notes';
import createCreditNoteItems from './20261124160100-create-credit-note-items';
import addCredited from './20261124160200-add-credited';
import addCreditNoteNumberFormat from './20261124160300-add-credit-note-number-format';
import addEmailCreditNote from './20261124162400-add-email-credit-note';
import addReminderDays from './20261123090000-add-reminder-days';
import addClientReminders from './20261123090100-add-client-reminders';
import createReminders from './20261123090200-create-reminders';
import findBouncedEmails from './20261123090300-find-bounced-emails';
import type { Migration } from './Migration';
import addCancelledAt from './20261124170000-add-cancelled-at';
import indexReportedTimes from './20261124170100-index-reported-times';
import addSeriesOptions from './20261124180100-add-series-options';
import indexRecurring from './20261124180200-index-recurring';
import addClientExternalId from './20261124181000-add-client-external-id';
import createImports from './20261124181100-create-imports';
import createImportErrors from './20261124181200-create-import-errors';
import addSandboxDay from './20261124183000-add-sandbox-day';
import countClients from './20261124184000-count-clients';
import indexNumberShapes from './20261124184100-index-number-shapes';
import createReplicaBeats from './20261124200000-create-replica-beats';

/** All migrations, in the order in which they run. Add a new one at the end. */
export const migrations: readonly Migration[] = [
  createCompanies,
  createApiKeys,
  createClients,
  createCategories,
  createInvoices,
  createInvoiceItems,
  createInvoiceNumbers,
  createNumberSequences,
  createRecordCounts,
  createEvents,
  createJobs,
  createIdempotencyKeys,
  createEmails,
  createPaymentLinks,
  createPayments,
  createStoredFiles,
  createExpenses,
  addInvoiceSeries,
  addOverdueCheck,
  addStoredAt,
  createFileStore,
  createReceiptUsage,
  addressesInAscii,
  countDeferrals,
  createWorkers,
  createQueuePauses,
  findJobs,
  indexJobsByState,
  addJobOrigin,
  addEventNumbers,
  numberOldEvents,
  indexEventNumbers,
  createEventSequence,
  createWebhookEndpoints,
  createWebhookDeliveries,
  renameEmailRequested,
  addEmailOutcomes,
  findEmailsByMessage,
  createEmailReports,
  jobsByCompany,
  dueSeriesByCompany,
  indexOverdueInvoices,
  polledLinksByCompany,
  watchedEndpoints,
  removeReplacedLogos,
  findWhatHasEnded,
  createRemovedEvents,
  createIdempotencyUsage,
  addManualPayments,
  addReminderDays,
  addClientReminders,
  createReminders,
  findBouncedEmails,
  addBrandColor,
  addEmailRecipients,
  createHostedPages,
  addGatewayProvider,
  findGatewayPayments,
  createInvoiceDetails,
  createExpenseDetails,
  addExactTaxRate,
  addPaymentInstructions,
  indexListSortings,
  createCreditNotes,
  createCreditNoteItems,
  addCredited,
  addCreditNoteNumberFormat,
  addEmailCreditNote,
  addCancelledAt,
  indexReportedTimes,
  addSeriesOptions,
  indexRecurring,
  addClientExternalId,
  createImports,
  createImportErrors,
  addSandboxDay,
  countClients,
  indexNumberShapes,
  createReplicaBeats,
];
