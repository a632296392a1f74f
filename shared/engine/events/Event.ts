import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Id, KeyId, NewKeyId, Text, Timestamp } from '../db';

/** An event: the one record behind feed, timeline and audit. `data` is JSON. */
@Table({ tableName: 'events' })
export class Event extends Model<InferAttributes<Event>, InferCreationAttributes<Event>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(64) declare type: string;
  @Text(64) declare actor: string;
  @Text(32) declare subjectType: string;
  @Id declare subjectId: number;
  @Text() declare data: string;
  @Timestamp declare createdAt: Date;
  /** The place in the feed; null until it is given, shortly after the commit. */
  @Id declare seq: CreationOptional<number | null>;
  @Text(128) declare requestId: CreationOptional<string | null>;
}
