import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Decimal, Id, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/**
 * `creating`: it may exist at the gateway. `superseded`: it is to be expired at the gateway. `processing`: paid by a method that takes
 * days.
 */
export type PaymentLinkStatus = 'creating' | 'active' | 'superseded' | 'processing' | 'expired' | 'paid' | 'failed';

/**
 * A payment link at `provider`, found there by `reference`. `total` is what was due of the invoice when it was made, `amount` what the
 * gateway asks for. `calledAt`: when the call began that may have created it; null once it is known that no call did.
 */
@Table({ tableName: 'payment_links' })
export class PaymentLink extends Model<InferAttributes<PaymentLink>, InferCreationAttributes<PaymentLink>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare invoiceId: number;
  @Text(32) declare provider: string;
  @Text(36) declare reference: string;
  @Text(191) declare gatewayId: string | null;
  @Text(2048) declare url: string | null;
  @Text(16) declare status: PaymentLinkStatus;
  @Decimal() declare total: string;
  @Decimal() declare amount: string;
  @Text(3) declare currency: string;
  @Timestamp declare calledAt: Date | null;
  @Timestamp declare expiresAt: Date | null;
  /** When the link is polled next, as long as it has not ended. */
  @Timestamp declare pollAt: Date;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
