/**
 * `pending`: sent at `nextAttemptAt`. `failed`: never sent again, after the last attempt or a 410, or because its endpoint was disabled or
 * deleted.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
