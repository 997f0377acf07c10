-- Placeholder: this number belongs to a branch that is merged with this one, and whose file replaces it.
select 1;
