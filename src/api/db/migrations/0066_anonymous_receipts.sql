-- Receipts that need no key are kept for a day, and found without reading those of apps.
create index receipt_anonymous on vitrine.receipt (created_at) where made_by = 'anonymous';
