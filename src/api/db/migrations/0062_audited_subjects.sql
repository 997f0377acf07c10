-- Whether something was done to an app or a webhook is asked whenever one of a form is created.
create index audit_subject on vitrine.audit (subject);
