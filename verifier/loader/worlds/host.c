// The program of a world: opens what it is told and says what then lies in the process.
//   host NAME...          dlopen(NAME)
//   host CALLER=NAME...   the library CALLER, which is there already, calls dlopen(NAME)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

static int print_object(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  printf("object %s\n", info->dlpi_name);
  return 0;
}

// NULL: the caller is not there.
static void* (*opener_of(const char* caller))(const char*) {
  void* library = dlopen(caller, RTLD_NOW | RTLD_NOLOAD);
  void* (*opener)(const char*) = NULL;
  if (library != NULL) *(void**)&opener = dlsym(library, "open_for_world");
  return opener;
}

int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    char* name = strchr(names[i], '=');
    void* opened;
    if (name == NULL) {
      opened = dlopen(names[i], RTLD_NOW);
    } else {
      *name = '\0';
      void* (*opener)(const char*) = opener_of(names[i]);
      if (opener == NULL) {
        puts("failed caller");
        continue;
      }
      opened = opener(name + 1);
    }
    if (opened != NULL) {
      puts("opened");
    } else {
      const char* why = dlerror();
      printf("failed %s\n", why == NULL ? "" : why);
    }
    fflush(stdout);
  }
  dl_iterate_phdr(print_object, NULL);
  return 0;
}
