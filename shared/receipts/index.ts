/** The exports of this feature that other features may use. */
export { giveRoomBack, takeRoom } from './receiptUsage';
export { getReceipt, type ReceiptRecord } from './ReceiptRecord';
export { recogniseReceipt } from './recogniseReceipt';
export { removeUnstoredReceipts } from './removeUnstoredReceipts';
export { markReceiptStored, putReceipt } from './storeReceipt';
