// Written by `npm run client`.
import type * as types from './types.gen.js';
export type * from './types.gen.js';

/** What any call takes. `idempotencyKey`: of a POST; a new one for each call unless it is given. */
export interface CallOptions {
  idempotencyKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  signal?: AbortSignal | undefined;
}

/** Where to begin in the feed: after an event; `latest`: what happens from now on; absent: the oldest event that is kept. */
export interface FeedOptions {
  after?: number | 'latest';
  types?: readonly string[];
  signal?: AbortSignal;
}

export type Call<Data> = Omit<Data, 'url'> & CallOptions;

/** The methods of the client, by operationId. */
export interface Methods {
  /** List invoices; `search` is a substring of `invoiceNumber` or of the name of the client. Scope: `read`. */
  listInvoices(call?: Call<types.ListInvoicesData>): Promise<types.ListInvoicesResponse>;
  /** Create an invoice. Scope: `write`. */
  createInvoice(call: Call<types.CreateInvoiceData>): Promise<types.CreateInvoiceResponse>;
  /** Get an invoice. Scope: `read`. */
  getInvoice(call: Call<types.GetInvoiceData>): Promise<types.GetInvoiceResponse>;
  /** Update an invoice: only supplied fields change, supplied items replace all. Scope: `write`. */
  updateInvoice(call: Call<types.UpdateInvoiceData>): Promise<types.UpdateInvoiceResponse>;
  /** Soft-delete an invoice. Scope: `write`. */
  deleteInvoice(call: Call<types.DeleteInvoiceData>): Promise<types.DeleteInvoiceResponse>;
  /** E-mail the invoice, to its client if no other address is given; a draft becomes sent. Scope: `write`. */
  sendInvoiceEmail(call: Call<types.SendInvoiceEmailData>): Promise<types.SendInvoiceEmailResponse>;
  /** Create a payment link, or return the usable one. Scope: `write`. */
  createPaymentLink(call: Call<types.CreatePaymentLinkData>): Promise<types.CreatePaymentLinkResponse>;
  /** Download the invoice as a PDF. Scope: `read`. */
  downloadInvoicePdf(call: Call<types.DownloadInvoicePdfData>): Promise<types.DownloadInvoicePdfResponse>;
  /** List the payments of an invoice, and its balance. Scope: `read`. */
  listInvoicePayments(call: Call<types.ListInvoicePaymentsData>): Promise<types.ListInvoicePaymentsResponse>;
  /** Record a payment that was made elsewhere. Scope: `write`. */
  recordInvoicePayment(call: Call<types.RecordInvoicePaymentData>): Promise<types.RecordInvoicePaymentResponse>;
  /** Void a payment that was recorded by hand: it stays listed, and counts no more. Scope: `write`. */
  voidInvoicePayment(call: Call<types.VoidInvoicePaymentData>): Promise<types.VoidInvoicePaymentResponse>;
  /** List every payment link that was made for an invoice. Scope: `read`. */
  listInvoicePaymentLinks(call: Call<types.ListInvoicePaymentLinksData>): Promise<types.ListInvoicePaymentLinksResponse>;
  /** Correct a sent invoice by a credit note; without `items`, everything that is left of it. Scope: `write`. */
  createCreditNote(call: Call<types.CreateCreditNoteData>): Promise<types.CreateCreditNoteResponse>;
  /** List the credit notes of an invoice. Scope: `read`. */
  listInvoiceCreditNotes(call: Call<types.ListInvoiceCreditNotesData>): Promise<types.ListInvoiceCreditNotesResponse>;
  /** List credit notes; `search` is a substring of `creditNoteNumber` or `reason`. Scope: `read`. */
  listCreditNotes(call?: Call<types.ListCreditNotesData>): Promise<types.ListCreditNotesResponse>;
  /** Get a credit note. Scope: `read`. */
  getCreditNote(call: Call<types.GetCreditNoteData>): Promise<types.GetCreditNoteResponse>;
  /** Download the credit note as a PDF. Scope: `read`. */
  downloadCreditNotePdf(call: Call<types.DownloadCreditNotePdfData>): Promise<types.DownloadCreditNotePdfResponse>;
  /** E-mail the credit note, to the client of its invoice if no other address is given. Scope: `write`. */
  sendCreditNoteEmail(call: Call<types.SendCreditNoteEmailData>): Promise<types.SendCreditNoteEmailResponse>;
  /** Get the address of the page on which the client sees and pays the invoice. Scope: `read`. */
  getHostedPage(call: Call<types.GetHostedPageData>): Promise<types.GetHostedPageResponse>;
  /** Revoke the address of the page: links that were sent are 404 from now on. Scope: `write`. */
  revokeHostedPage(call: Call<types.RevokeHostedPageData>): Promise<types.RevokeHostedPageResponse>;
  /** Get the details of the invoice: what callers keep with it, and what is printed beside its fields. Scope: `read`. */
  getInvoiceDetails(call: Call<types.GetInvoiceDetailsData>): Promise<types.GetInvoiceDetailsResponse>;
  /** Change the details of the invoice: only supplied fields change. Scope: `write`. */
  updateInvoiceDetails(call: Call<types.UpdateInvoiceDetailsData>): Promise<types.UpdateInvoiceDetailsResponse>;
  /** Get the details of the expense: what callers keep with it. Scope: `read`. */
  getExpenseDetails(call: Call<types.GetExpenseDetailsData>): Promise<types.GetExpenseDetailsResponse>;
  /** Change the details of the expense: only supplied fields change. Scope: `write`. */
  updateExpenseDetails(call: Call<types.UpdateExpenseDetailsData>): Promise<types.UpdateExpenseDetailsResponse>;
  /** List the e-mails of an invoice, and what became of each. Scope: `read`. */
  listInvoiceEmails(call: Call<types.ListInvoiceEmailsData>): Promise<types.ListInvoiceEmailsResponse>;
  /** Record what became of an e-mail whose delivery is uncertain. Scope: `write`. */
  settleInvoiceEmail(call: Call<types.SettleInvoiceEmailData>): Promise<types.SettleInvoiceEmailResponse>;
  /** List expenses; `search` is a substring of `vendor` or `description`. Scope: `read`. */
  listExpenses(call?: Call<types.ListExpensesData>): Promise<types.ListExpensesResponse>;
  /** Create an expense; with `recurring` other than none it is a series. Scope: `write`. */
  createExpense(call: Call<types.CreateExpenseData>): Promise<types.CreateExpenseResponse>;
  /** Get an expense. Scope: `read`. */
  getExpense(call: Call<types.GetExpenseData>): Promise<types.GetExpenseResponse>;
  /** Update an expense: only supplied fields change. Scope: `write`. */
  updateExpense(call: Call<types.UpdateExpenseData>): Promise<types.UpdateExpenseResponse>;
  /** Soft-delete an expense; a series ends. Scope: `write`. */
  deleteExpense(call: Call<types.DeleteExpenseData>): Promise<types.DeleteExpenseResponse>;
  /** List what a recurring expense has brought forth, and the dates to come. Scope: `read`. */
  listExpenseOccurrences(call: Call<types.ListExpenseOccurrencesData>): Promise<types.ListExpenseOccurrencesResponse>;
  /** List what a recurring invoice has brought forth, and the dates to come. Scope: `read`. */
  listInvoiceOccurrences(call: Call<types.ListInvoiceOccurrencesData>): Promise<types.ListInvoiceOccurrencesResponse>;
  /** Get how the expense recurs. Scope: `read`. */
  getExpenseRecurrence(call: Call<types.GetExpenseRecurrenceData>): Promise<types.GetExpenseRecurrenceResponse>;
  /** Change how the expense recurs: only supplied fields change. Scope: `write`. */
  updateExpenseRecurrence(call: Call<types.UpdateExpenseRecurrenceData>): Promise<types.UpdateExpenseRecurrenceResponse>;
  /** Get how the invoice recurs. Scope: `read`. */
  getInvoiceRecurrence(call: Call<types.GetInvoiceRecurrenceData>): Promise<types.GetInvoiceRecurrenceResponse>;
  /** Change how the invoice recurs: only supplied fields change. Scope: `write`. */
  updateInvoiceRecurrence(call: Call<types.UpdateInvoiceRecurrenceData>): Promise<types.UpdateInvoiceRecurrenceResponse>;
  /** List everything that happened to the invoice, the oldest first. Scope: `read`. */
  listInvoiceTimeline(call: Call<types.ListInvoiceTimelineData>): Promise<types.ListInvoiceTimelineResponse>;
  /** List everything that happened to the expense, the oldest first. Scope: `read`. */
  listExpenseTimeline(call: Call<types.ListExpenseTimelineData>): Promise<types.ListExpenseTimelineResponse>;
  /** Report what clients owed on a day, by how long it was overdue. Scope: `read`. */
  getReceivablesReport(call?: Call<types.GetReceivablesReportData>): Promise<types.GetReceivablesReportResponse>;
  /** Report what was invoiced, credited and paid, by period or client. Scope: `read`. */
  getRevenueReport(call?: Call<types.GetRevenueReportData>): Promise<types.GetRevenueReportResponse>;
  /** Report net amounts and tax by tax rate, credit notes negative. Scope: `read`. */
  getTaxReport(call?: Call<types.GetTaxReportData>): Promise<types.GetTaxReportResponse>;
  /** Report what was spent, by category, vendor or month. Scope: `read`. */
  getExpensesReport(call?: Call<types.GetExpensesReportData>): Promise<types.GetExpensesReportResponse>;
  /** Report what recurring expenses and invoices will create, and its sums by month. Scope: `read`. */
  getUpcomingReport(call?: Call<types.GetUpcomingReportData>): Promise<types.GetUpcomingReportResponse>;
  /** List clients; `search` is a substring of `name` or `email`. Scope: `read`. */
  listClients(call?: Call<types.ListClientsData>): Promise<types.ListClientsResponse>;
  /** Create a client. Scope: `write`. */
  createClient(call: Call<types.CreateClientData>): Promise<types.CreateClientResponse>;
  /** Get a client. Scope: `read`. */
  getClient(call: Call<types.GetClientData>): Promise<types.GetClientResponse>;
  /** Update a client: only supplied fields change, and invoices that were sent keep showing what was sent. Scope: `write`. */
  updateClient(call: Call<types.UpdateClientData>): Promise<types.UpdateClientResponse>;
  /** Soft-delete a client: its invoices keep showing it, new ones cannot refer to it. Scope: `write`. */
  deleteClient(call: Call<types.DeleteClientData>): Promise<types.DeleteClientResponse>;
  /** List categories; `search` is a substring of `name`. Scope: `read`. */
  listCategories(call?: Call<types.ListCategoriesData>): Promise<types.ListCategoriesResponse>;
  /** Create a category. Scope: `write`. */
  createCategory(call: Call<types.CreateCategoryData>): Promise<types.CreateCategoryResponse>;
  /** Get a category. Scope: `read`. */
  getCategory(call: Call<types.GetCategoryData>): Promise<types.GetCategoryResponse>;
  /** Update a category. Scope: `write`. */
  updateCategory(call: Call<types.UpdateCategoryData>): Promise<types.UpdateCategoryResponse>;
  /** Soft-delete a category: its expenses keep showing it, new ones cannot refer to it. Scope: `write`. */
  deleteCategory(call: Call<types.DeleteCategoryData>): Promise<types.DeleteCategoryResponse>;
  /** Store a receipt: one JPEG, PNG, WebP or PDF, recognised by its content; the same again has the same id. Scope: `write`. */
  createReceipt(call: Call<types.CreateReceiptData>): Promise<types.CreateReceiptResponse>;
  /** Get a receipt: the file as it was sent. Scope: `read`. */
  downloadReceipt(call: Call<types.DownloadReceiptData>): Promise<types.DownloadReceiptResponse>;
  /** Import clients or expenses from a CSV file: each row becomes a record, as if it had been posted. Scope: `write`. */
  createImport(call: Call<types.CreateImportData>): Promise<types.CreateImportResponse>;
  /** List imports, the newest first. Scope: `read`. */
  listImports(call?: Call<types.ListImportsData>): Promise<types.ListImportsResponse>;
  /** Get an import: how many of its rows are done, and what became of them. Scope: `read`. */
  getImport(call: Call<types.GetImportData>): Promise<types.GetImportResponse>;
  /** List what is wrong with rows of an import: the first 1,000 errors, in the order of the file. Scope: `read`. */
  listImportErrors(call: Call<types.ListImportErrorsData>): Promise<types.ListImportErrorsResponse>;
  /** Get the company that the API key belongs to: the sender of its invoices. Scope: `read`. */
  getCompany(call?: Call<types.GetCompanyData>): Promise<types.GetCompanyResponse>;
  /** Update the company: only supplied fields change, and invoices that were sent keep showing what was sent. Scope: `write`. */
  updateCompany(call?: Call<types.UpdateCompanyData>): Promise<types.UpdateCompanyResponse>;
  /** Get the logo. Scope: `read`. */
  downloadLogo(call?: Call<types.DownloadLogoData>): Promise<types.DownloadLogoResponse>;
  /** Set the logo: a PNG, JPEG or SVG, recognised by its content; it is drawn once and kept as a PNG. Scope: `write`. */
  replaceLogo(call: Call<types.ReplaceLogoData>): Promise<types.ReplaceLogoResponse>;
  /** Remove the logo: the name of the company takes its place, but for invoices that were sent with it. Scope: `write`. */
  deleteLogo(call?: Call<types.DeleteLogoData>): Promise<types.DeleteLogoResponse>;
  /** List API keys, revoked and expired ones included, without their tokens. Scope: `admin`. */
  listApiKeys(call?: Call<types.ListApiKeysData>): Promise<types.ListApiKeysResponse>;
  /** Create an API key: its token is shown in this response and never again (but to a repeat of this very request). Scope: `admin`. */
  createApiKey(call?: Call<types.CreateApiKeyData>): Promise<types.CreateApiKeyResponse>;
  /** Revoke an API key, within 5 seconds everywhere; the one that asks may be it. Scope: `admin`. */
  revokeApiKey(call: Call<types.RevokeApiKeyData>): Promise<types.RevokeApiKeyResponse>;
  /** List webhook endpoints; `search` is a substring of `url` or `description`. Scope: `admin`. */
  listWebhookEndpoints(call?: Call<types.ListWebhookEndpointsData>): Promise<types.ListWebhookEndpointsResponse>;
  /** Create a webhook endpoint: it is sent what happens from now on. Only this response shows its secret. Scope: `admin`. */
  createWebhookEndpoint(call: Call<types.CreateWebhookEndpointData>): Promise<types.CreateWebhookEndpointResponse>;
  /** Get a webhook endpoint. Scope: `admin`. */
  getWebhookEndpoint(call: Call<types.GetWebhookEndpointData>): Promise<types.GetWebhookEndpointResponse>;
  /** Update a webhook endpoint: only supplied fields change. One that is disabled is sent nothing. Scope: `admin`. */
  updateWebhookEndpoint(call: Call<types.UpdateWebhookEndpointData>): Promise<types.UpdateWebhookEndpointResponse>;
  /** Soft-delete a webhook endpoint: its pending deliveries end. Scope: `admin`. */
  deleteWebhookEndpoint(call: Call<types.DeleteWebhookEndpointData>): Promise<types.DeleteWebhookEndpointResponse>;
  /** Give a webhook endpoint a new secret: for 24 hours the one before signs too. Scope: `admin`. */
  createWebhookSecret(call: Call<types.CreateWebhookSecretData>): Promise<types.CreateWebhookSecretResponse>;
  /** List what was sent to a webhook endpoint and what became of it. Scope: `admin`. */
  listWebhookDeliveries(call: Call<types.ListWebhookDeliveriesData>): Promise<types.ListWebhookDeliveriesResponse>;
  /** Get a delivery. Scope: `admin`. */
  getWebhookDelivery(call: Call<types.GetWebhookDeliveryData>): Promise<types.GetWebhookDeliveryResponse>;
  /** Send a webhook endpoint an event of the type `webhook.test`. Scope: `admin`. */
  sendWebhookTest(call: Call<types.SendWebhookTestData>): Promise<types.SendWebhookTestResponse>;
  /** Send the event of a delivery again, with the same `webhook-id`. Scope: `admin`. */
  sendWebhookDeliveryAgain(call: Call<types.SendWebhookDeliveryAgainData>): Promise<types.SendWebhookDeliveryAgainResponse>;
  /** Send the events after `after` up to and with `until` again, those of the endpoint’s types, each with its `webhook-id`. Scope: `admin`. */
  sendWebhookEventsAgain(call: Call<types.SendWebhookEventsAgainData>): Promise<types.SendWebhookEventsAgainResponse>;
  /** Read what happened, in order: a reader that continues from `nextAfter` misses nothing and sees nothing twice. Scope: `read`. */
  listEvents(call?: Call<types.ListEventsData>): Promise<types.ListEventsResponse>;
  /** What has become of a job. Scope: `read`. */
  getJob(call: Call<types.GetJobData>): Promise<types.GetJobResponse>;
  /** In a sandbox: do what the calendar will have done by the end of a day. Scope: `admin`. */
  runSchedules(call: Call<types.RunSchedulesData>): Promise<types.RunSchedulesResponse>;
  /** The process is alive. Looks at nothing else: restart a process that does not respond. */
  checkHealth(call?: Call<types.CheckHealthData>): Promise<types.CheckHealthResponse>;
  /** MySQL, its migrations, the file store and Redis are there. Send requests only to processes that are ready. */
  checkReadiness(call?: Call<types.CheckReadinessData>): Promise<types.CheckReadinessResponse>;
  /** Takes the events of SendGrid's Event Webhook, signed ones only. For SendGrid alone. Each event is processed once; those about no e-mail of ours are ignored. */
  receiveSendGridEvents(call: Call<types.ReceiveSendGridEventsData>): Promise<types.ReceiveSendGridEventsResponse>;
  /** Takes the callbacks of a payment gateway, authentic ones only. For the gateway alone. A callback is a hint to ask the gateway itself. */
  receiveGatewayCallback(call: Call<types.ReceiveGatewayCallbackData>): Promise<types.ReceiveGatewayCallbackResponse>;
}

/** The lists that can be read by cursor, and what is in them. */
export interface Lists {
  listInvoices: types.ListInvoicesResponse['data'][number];
  listInvoicePayments: types.ListInvoicePaymentsResponse['data'][number];
  listInvoiceCreditNotes: types.ListInvoiceCreditNotesResponse['data'][number];
  listCreditNotes: types.ListCreditNotesResponse['data'][number];
  listExpenses: types.ListExpensesResponse['data'][number];
  listClients: types.ListClientsResponse['data'][number];
  listCategories: types.ListCategoriesResponse['data'][number];
  listImports: types.ListImportsResponse['data'][number];
  listImportErrors: types.ListImportErrorsResponse['data'][number];
}

export const operations: Readonly<Record<keyof Methods, string>> = {
  listInvoices: 'GET /api/invoices',
  createInvoice: 'POST /api/invoices',
  getInvoice: 'GET /api/invoices/{id}',
  updateInvoice: 'PUT /api/invoices/{id}',
  deleteInvoice: 'DELETE /api/invoices/{id}',
  sendInvoiceEmail: 'POST /api/invoices/{id}/send-email',
  createPaymentLink: 'POST /api/invoices/{id}/create-gateway-invoice',
  downloadInvoicePdf: 'GET /api/invoices/{id}/pdf',
  listInvoicePayments: 'GET /api/invoices/{id}/payments',
  recordInvoicePayment: 'POST /api/invoices/{id}/payments',
  voidInvoicePayment: 'DELETE /api/invoices/{id}/payments/{paymentId}',
  listInvoicePaymentLinks: 'GET /api/invoices/{id}/payment-links',
  createCreditNote: 'POST /api/invoices/{id}/credit-notes',
  listInvoiceCreditNotes: 'GET /api/invoices/{id}/credit-notes',
  listCreditNotes: 'GET /api/credit-notes',
  getCreditNote: 'GET /api/credit-notes/{id}',
  downloadCreditNotePdf: 'GET /api/credit-notes/{id}/pdf',
  sendCreditNoteEmail: 'POST /api/credit-notes/{id}/send-email',
  getHostedPage: 'GET /api/invoices/{id}/hosted-page',
  revokeHostedPage: 'DELETE /api/invoices/{id}/hosted-page',
  getInvoiceDetails: 'GET /api/invoices/{id}/details',
  updateInvoiceDetails: 'PUT /api/invoices/{id}/details',
  getExpenseDetails: 'GET /api/expenses/{id}/details',
  updateExpenseDetails: 'PUT /api/expenses/{id}/details',
  listInvoiceEmails: 'GET /api/invoices/{id}/emails',
  settleInvoiceEmail: 'POST /api/invoices/{id}/emails/{emailId}/settle',
  listExpenses: 'GET /api/expenses',
  createExpense: 'POST /api/expenses',
  getExpense: 'GET /api/expenses/{id}',
  updateExpense: 'PUT /api/expenses/{id}',
  deleteExpense: 'DELETE /api/expenses/{id}',
  listExpenseOccurrences: 'GET /api/expenses/{id}/occurrences',
  listInvoiceOccurrences: 'GET /api/invoices/{id}/occurrences',
  getExpenseRecurrence: 'GET /api/expenses/{id}/recurrence',
  updateExpenseRecurrence: 'PUT /api/expenses/{id}/recurrence',
  getInvoiceRecurrence: 'GET /api/invoices/{id}/recurrence',
  updateInvoiceRecurrence: 'PUT /api/invoices/{id}/recurrence',
  listInvoiceTimeline: 'GET /api/invoices/{id}/timeline',
  listExpenseTimeline: 'GET /api/expenses/{id}/timeline',
  getReceivablesReport: 'GET /api/reports/receivables',
  getRevenueReport: 'GET /api/reports/revenue',
  getTaxReport: 'GET /api/reports/tax',
  getExpensesReport: 'GET /api/reports/expenses',
  getUpcomingReport: 'GET /api/reports/upcoming',
  listClients: 'GET /api/clients',
  createClient: 'POST /api/clients',
  getClient: 'GET /api/clients/{id}',
  updateClient: 'PUT /api/clients/{id}',
  deleteClient: 'DELETE /api/clients/{id}',
  listCategories: 'GET /api/categories',
  createCategory: 'POST /api/categories',
  getCategory: 'GET /api/categories/{id}',
  updateCategory: 'PUT /api/categories/{id}',
  deleteCategory: 'DELETE /api/categories/{id}',
  createReceipt: 'POST /api/receipts',
  downloadReceipt: 'GET /api/receipts/{id}',
  createImport: 'POST /api/imports',
  listImports: 'GET /api/imports',
  getImport: 'GET /api/imports/{id}',
  listImportErrors: 'GET /api/imports/{id}/errors',
  getCompany: 'GET /api/company',
  updateCompany: 'PUT /api/company',
  downloadLogo: 'GET /api/company/logo',
  replaceLogo: 'PUT /api/company/logo',
  deleteLogo: 'DELETE /api/company/logo',
  listApiKeys: 'GET /api/api-keys',
  createApiKey: 'POST /api/api-keys',
  revokeApiKey: 'DELETE /api/api-keys/{id}',
  listWebhookEndpoints: 'GET /api/webhook-endpoints',
  createWebhookEndpoint: 'POST /api/webhook-endpoints',
  getWebhookEndpoint: 'GET /api/webhook-endpoints/{id}',
  updateWebhookEndpoint: 'PUT /api/webhook-endpoints/{id}',
  deleteWebhookEndpoint: 'DELETE /api/webhook-endpoints/{id}',
  createWebhookSecret: 'POST /api/webhook-endpoints/{id}/rotate-secret',
  listWebhookDeliveries: 'GET /api/webhook-endpoints/{id}/deliveries',
  getWebhookDelivery: 'GET /api/webhook-endpoints/{id}/deliveries/{deliveryId}',
  sendWebhookTest: 'POST /api/webhook-endpoints/{id}/test',
  sendWebhookDeliveryAgain: 'POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/replay',
  sendWebhookEventsAgain: 'POST /api/webhook-endpoints/{id}/replay',
  listEvents: 'GET /api/events',
  getJob: 'GET /api/jobs/{id}',
  runSchedules: 'POST /api/schedules/run',
  checkHealth: 'GET /healthz',
  checkReadiness: 'GET /readyz',
  receiveSendGridEvents: 'POST /webhooks/email/sendgrid',
  receiveGatewayCallback: 'POST /webhooks/gateway/{provider}',
};

/** What a webhook says; `type` tells them apart. */
export type WebhookPayload =
  | types.InvoiceCreatedWebhook
  | types.InvoiceUpdatedWebhook
  | types.InvoiceDeletedWebhook
  | types.InvoiceSentWebhook
  | types.InvoicePaidWebhook
  | types.InvoiceOverdueWebhook
  | types.InvoiceCancelledWebhook
  | types.InvoicePaymentLinkRequestedWebhook
  | types.InvoicePaymentLinkCreatedWebhook
  | types.InvoicePaymentLinkExpiredWebhook
  | types.PaymentReceivedWebhook
  | types.PaymentRecordedWebhook
  | types.PaymentRefundedWebhook
  | types.PaymentDisputedWebhook
  | types.PaymentVoidedWebhook
  | types.CreditNoteIssuedWebhook
  | types.CreditNoteSentWebhook
  | types.EmailRequestedWebhook
  | types.EmailSkippedWebhook
  | types.EmailSentWebhook
  | types.EmailDeliveredWebhook
  | types.EmailBouncedWebhook
  | types.EmailComplainedWebhook
  | types.EmailFailedWebhook
  | types.EmailUncertainWebhook
  | types.ReminderSentWebhook
  | types.ReminderSkippedWebhook
  | types.ExpenseCreatedWebhook
  | types.ExpenseUpdatedWebhook
  | types.ExpenseApprovedWebhook
  | types.ExpenseRejectedWebhook
  | types.ExpenseDeletedWebhook
  | types.ClientCreatedWebhook
  | types.ClientUpdatedWebhook
  | types.ClientDeletedWebhook
  | types.CategoryCreatedWebhook
  | types.CategoryUpdatedWebhook
  | types.CategoryDeletedWebhook
  | types.CompanyCreatedWebhook
  | types.CompanyUpdatedWebhook
  | types.ReceiptCreatedWebhook
  | types.ApiKeyCreatedWebhook
  | types.ApiKeyRevokedWebhook
  | types.JobRetriedWebhook
  | types.WebhookEndpointCreatedWebhook
  | types.WebhookEndpointUpdatedWebhook
  | types.WebhookEndpointDeletedWebhook
  | types.WebhookEndpointDisabledWebhook
  | types.WebhookEndpointPausedWebhook
  | types.WebhookEndpointSecretRotatedWebhook;

/** An event of the feed. */
export type FeedEvent = WebhookPayload['data'];
