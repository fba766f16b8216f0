#include "backends/cuda/binding.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/cuda/modules.h"
#include "backends/cuda/refusal.h"
#include "backends/cuda/shims_table.h"

namespace executorch::backends::cuda {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t kSlotOfFunction = R_X86_64_JUMP_SLOT;
constexpr std::uint64_t kSlotOfAddress = R_X86_64_GLOB_DAT;
#else
constexpr std::uint64_t kSlotOfFunction = R_AARCH64_JUMP_SLOT;
constexpr std::uint64_t kSlotOfAddress = R_AARCH64_GLOB_DAT;
#endif

// The tables of a library that the loader has mapped, as its dynamic section gives them.
struct Tables {
  const Elf64_Rela* relocations[2] = {};
  std::size_t counts[2] = {};
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
};

Tables tables_of(const link_map& library) {
  Tables tables;
  for (const Elf64_Dyn* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    // glibc has made addresses of these.
    const auto address = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_RELA:
        tables.relocations[0] = reinterpret_cast<const Elf64_Rela*>(address);
        break;
      case DT_RELASZ:
        tables.counts[0] = address / sizeof(Elf64_Rela);
        break;
      case DT_JMPREL:
        tables.relocations[1] = reinterpret_cast<const Elf64_Rela*>(address);
        break;
      case DT_PLTRELSZ:
        tables.counts[1] = address / sizeof(Elf64_Rela);
        break;
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const Elf64_Sym*>(address);
        break;
      case DT_STRTAB:
        tables.strings = reinterpret_cast<const char*>(address);
        break;
      default:
        break;
    }
  }
  return tables;
}

// A function of the driver, which the library needs, or of the program.
void* of_driver(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  return found != nullptr ? found : dlsym(RTLD_DEFAULT, name);
}

// Pages that the loader made read-only after it was done are made so again.
class Writable {
 public:
  explicit Writable(const link_map& library) {
    const auto find = [](dl_phdr_info* info, std::size_t, void* wanted) {
      auto* const self = static_cast<Writable*>(wanted);
      if (info->dlpi_addr != self->base_) return 0;
      for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_GNU_RELRO) continue;
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
        // As the loader rounds: whole pages, the last one only if it is full.
        self->begin_ = begin & ~(page - 1);
        self->size_ = ((begin + segment.p_memsz) & ~(page - 1)) - self->begin_;
      }
      return 1;
    };
    base_ = library.l_addr;
    dl_iterate_phdr(find, this);
    if (size_ != 0) good_ = protect(PROT_READ | PROT_WRITE);
  }
  ~Writable() {
    if (size_ != 0 && good_) static_cast<void>(protect(PROT_READ));
  }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  bool good() const { return good_; }

 private:
  bool protect(int protection) const {
    return mprotect(reinterpret_cast<void*>(begin_), size_, protection) == 0;
  }

  std::uintptr_t base_ = 0;
  std::uintptr_t begin_ = 0;
  std::size_t size_ = 0;
  bool good_ = true;
};

}  // namespace

Error bind_imports(void* handle, const char* name) {
  constexpr const char* kAnyShim = "aoti_torch_delete_tensor_object";
  constexpr std::string_view kLoadModule = "cuModuleLoadData";
  const Shims& ours = shims();
  const bool others_first =
      dlsym(RTLD_DEFAULT, kAnyShim) != reinterpret_cast<void*>(ours.delete_tensor_object);
  link_map* library = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &library) != 0 || library == nullptr) {
    REFUSE(Internal, "the imports of the library '%s' can't be found", name);
  }
  const Tables tables = tables_of(*library);
  if (tables.symbols == nullptr || tables.strings == nullptr) {
    REFUSE(Internal, "the library '%s' has no table of symbols", name);
  }
  const Writable writable(*library);
  if (!writable.good()) REFUSE(AccessFailed, "the imports of '%s' can't be written", name);
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::size_t i = 0; i < tables.counts[table]; ++i) {
      const Elf64_Rela& relocation = tables.relocations[table][i];
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != kSlotOfFunction && type != kSlotOfAddress) continue;
      const Elf64_Sym& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
      if (symbol.st_shndx != SHN_UNDEF) continue;
      const std::string_view symbol_name = tables.strings + symbol.st_name;
      void* address = nullptr;
      if (symbol_name == kLoadModule) {
        void* const driver = of_driver(handle, symbol_name.data());
        if (driver == nullptr) REFUSE(NotFound, "the driver has no %s", symbol_name.data());
        use_driver(driver, of_driver(handle, "cuCtxGetCurrent"));
        address = reinterpret_cast<void*>(&load_module_once);
      } else if (others_first && symbol_name.starts_with("aoti_")) {
        address = dlsym(ours.library, symbol_name.data());
        if (address == nullptr) {
          REFUSE(NotSupported, "the library '%s' imports %s, which the shims do not have", name,
                 symbol_name.data());
        }
      } else {
        continue;
      }
      std::memcpy(reinterpret_cast<void*>(library->l_addr + relocation.r_offset), &address,
                  sizeof address);
    }
  }
  if (others_first) {
    ET_LOG(Info, "CudaBackend: another library defines the shims' functions too; '%s' uses ours",
           name);
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
