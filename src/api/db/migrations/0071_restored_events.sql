-- A part of each `webhook-id` from a restore on (deploy/backup/restore.sh): event ids go on where the dump ended, and a
-- receiver must not take other events for those that it got since. restore.sh adds the column to older dumps.
alter table vitrine.webhook_position add column if not exists history text;
