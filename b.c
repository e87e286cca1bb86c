r(f){f=free(f);f++;}
