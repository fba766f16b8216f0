// The program of a world: opens what it is told and says what then lies in the process.
//   host NAME...          dlopen(NAME)
//   host CALLER=NAME...   the library CALLER, which is there already, calls dlopen(NAME)
//   host +gNAME +lNAME... dlopen(NAME) with RTLD_GLOBAL, with RTLD_LAZY
//   host +b ...           says what symbols were bound to instead of which objects there are
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { kMostObjects = 100, kThreadModule = 16 };

static int print_object(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  printf("object %s\n", info->dlpi_name);
  return 0;
}

static struct dl_phdr_info objects[kMostObjects];
static int object_count;

static int keep_object(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size;
  (void)unused;
  if (object_count < kMostObjects) objects[object_count++] = *info;
  return 0;
}

static int holds(const struct dl_phdr_info* object, ElfW(Addr) address) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type != PT_LOAD) continue;
    if (address >= start && address - start < segment->p_memsz) return 1;
  }
  return 0;
}

// glibc adds the base to addresses in the dynamic section, musl does not.
static const void* address_in(const struct dl_phdr_info* object, ElfW(Addr) address) {
  return (const void*)(holds(object, address) ? address : object->dlpi_addr + address);
}

static void print_target(unsigned type, ElfW(Addr) value) {
  for (int i = 0; i < object_count; ++i) {
    const struct dl_phdr_info* object = &objects[i];
    if (type == kThreadModule ? value != 0 && object->dlpi_tls_modid == value
                              : holds(object, value)) {
      const ElfW(Addr) offset = type == kThreadModule ? 0 : value - object->dlpi_addr;
      printf("%s %lx\n", object->dlpi_name, (unsigned long)offset);
      return;
    }
  }
  puts("nothing");
}

static void print_bindings(const struct dl_phdr_info* object) {
  const ElfW(Dyn)* dynamic = NULL;
  const ElfW(Rela) * uses[2] = {NULL, NULL};
  const ElfW(Sym)* symbols = NULL;
  const char* names = NULL;
  size_t sizes[2] = {0, 0};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_DYNAMIC) continue;
    dynamic = (const ElfW(Dyn)*)(object->dlpi_addr + segment->p_vaddr);
  }
  for (; dynamic != NULL && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_RELA) uses[0] = address_in(object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_RELASZ) sizes[0] = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_JMPREL) uses[1] = address_in(object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_PLTRELSZ) sizes[1] = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_SYMTAB) symbols = address_in(object, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = address_in(object, dynamic->d_un.d_ptr);
  }
  for (int table = 0; table < 2 && symbols != NULL && names != NULL; ++table) {
    for (size_t i = 0; uses[table] != NULL && i < sizes[table] / sizeof **uses; ++i) {
      const size_t symbol = ELF64_R_SYM(uses[table][i].r_info);
      if (symbol == 0) continue;
      printf("bound %zu %s of %s to ", symbol, names + symbols[symbol].st_name, object->dlpi_name);
      print_target((unsigned)ELF64_R_TYPE(uses[table][i].r_info),
                   *(const ElfW(Addr)*)(object->dlpi_addr + uses[table][i].r_offset));
    }
  }
}

// NULL: the caller is not there.
static void* (*opener_of(const char* caller))(const char*) {
  void* library = dlopen(caller, RTLD_NOW | RTLD_NOLOAD);
  void* (*opener)(const char*) = NULL;
  if (library != NULL) *(void**)&opener = dlsym(library, "open_for_world");
  return opener;
}

int main(int count, char** names) {
  const int bindings = count > 1 && strcmp(names[1], "+b") == 0;
  for (int i = 1 + bindings; i < count; ++i) {
    char* name = strchr(names[i], '=');
    void* opened;
    if (name == NULL) {
      int how = RTLD_NOW;
      name = names[i];
      for (; *name == '+'; name += 2) {
        if (name[1] == 'g') how |= RTLD_GLOBAL;
#ifdef RTLD_DEEPBIND
        if (name[1] == 'd') how |= RTLD_DEEPBIND;
#endif
        if (name[1] == 'l') how = (how & ~RTLD_NOW) | RTLD_LAZY;
      }
      opened = dlopen(name, how);
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
  if (!bindings) {
    dl_iterate_phdr(print_object, NULL);
    return 0;
  }
  dl_iterate_phdr(keep_object, NULL);
  for (int i = 0; i < object_count; ++i) {
    // The program, the loader and the kernel's object are nobody's concern.
    if (strstr(objects[i].dlpi_name, "/pkg/") != NULL) print_bindings(&objects[i]);
  }
  return 0;
}
