record_free(int *f)
{
    while (f) {
        free(f);
        f++;
    }
}
