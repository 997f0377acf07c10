-- Anybody could sign in as the zero address: nobody has it.
delete from vitrine.session where address = '0x0000000000000000000000000000000000000000';
