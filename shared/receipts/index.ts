/** Receipts: files that expenses refer to. */
export { giveRoomBack, takeRoom } from './receiptUsage';
export { getReceipt, type ReceiptRecord } from './ReceiptRecord';
export { recogniseReceipt } from './recogniseReceipt';
export { removeUnstoredReceipts } from './removeUnstoredReceipts';
export { markReceiptStored, putReceipt } from './storeReceipt';
