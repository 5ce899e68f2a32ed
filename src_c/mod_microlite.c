// The C module _microlite, on which the package microlite stands.

#include "py/runtime.h"
#include "microlite.h"

#if !MICROPY_ENABLE_GC || !MICROPY_PY_BUILTINS_FLOAT || !MICROPY_PY_ARRAY || !MICROPY_PY_BUILTINS_MEMORYVIEW \
    || !MICROPY_PY_ATTRTUPLE || !MICROPY_MODULE_BUILTIN_INIT
#error "microlite needs the garbage collector, floats, array, memoryview, attrtuple and __init__ of modules"
#endif

// Number of the interface between this module and the package; the package asks for its own.
#define MICROLITE_API (3)

// Runs at the first import after each (soft) reset. The engine is compiled apart and must have been
// compiled for the same ABI.
static mp_obj_t microlite___init__(void) {
    live_init();
    if (engine_abi() != ENGINE_ABI) {
        mp_raise_msg_varg(&mp_type_ImportError, MP_ERROR_TEXT("_microlite: module and engine were built differently (ABI %x, %x)"),
            (uint)ENGINE_ABI, (uint)engine_abi());
    }
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_0(microlite___init___obj, microlite___init__);

static MP_DEFINE_CONST_FUN_OBJ_2(microlite_block_obj, microlite_block);

static const mp_rom_map_elem_t microlite_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR__microlite) },
    { MP_ROM_QSTR(MP_QSTR___init__), MP_ROM_PTR(&microlite___init___obj) },
    { MP_ROM_QSTR(MP_QSTR_API), MP_ROM_INT(MICROLITE_API) },
    { MP_ROM_QSTR(MP_QSTR_block), MP_ROM_PTR(&microlite_block_obj) },
    { MP_ROM_QSTR(MP_QSTR_calibrate), MP_ROM_PTR(&microlite_calibrate_obj) },
    { MP_ROM_QSTR(MP_QSTR_check), MP_ROM_PTR(&microlite_check_obj) },
    { MP_ROM_QSTR(MP_QSTR_cycles), MP_ROM_PTR(&microlite_cycles_obj) },
    { MP_ROM_QSTR(MP_QSTR_info), MP_ROM_PTR(&microlite_info_obj) },
    { MP_ROM_QSTR(MP_QSTR_mse), MP_ROM_PTR(&microlite_mse_obj) },
    { MP_ROM_QSTR(MP_QSTR_ops), MP_ROM_PTR(&microlite_ops_obj) },
    { MP_ROM_QSTR(MP_QSTR_slide), MP_ROM_PTR(&microlite_slide_obj) },
    #if MICROLITE_VARIANTS
    { MP_ROM_QSTR(MP_QSTR_variants), MP_ROM_PTR(&microlite_variants_obj) },
    #endif
    #if MICROLITE_AUDIO
    { MP_ROM_QSTR(MP_QSTR_cmvn), MP_ROM_PTR(&microlite_cmvn_obj) },
    { MP_ROM_QSTR(MP_QSTR_spectrum), MP_ROM_PTR(&microlite_spectrum_obj) },
    { MP_ROM_QSTR(MP_QSTR_FrontEnd), MP_ROM_PTR(&microlite_type_FrontEnd) },
    #endif
    { MP_ROM_QSTR(MP_QSTR_Model), MP_ROM_PTR(&microlite_type_Model) },
    { MP_ROM_QSTR(MP_QSTR_Tensor), MP_ROM_PTR(&microlite_type_Tensor) },
    { MP_ROM_QSTR(MP_QSTR_ArenaError), MP_ROM_PTR(&microlite_type_ArenaError) },
    { MP_ROM_QSTR(MP_QSTR_ModelError), MP_ROM_PTR(&microlite_type_ModelError) },
    { MP_ROM_QSTR(MP_QSTR_OpError), MP_ROM_PTR(&microlite_type_OpError) },
    { MP_ROM_QSTR(MP_QSTR_InvokeError), MP_ROM_PTR(&microlite_type_InvokeError) },
};
static MP_DEFINE_CONST_DICT(microlite_globals, microlite_globals_table);

const mp_obj_module_t microlite_module = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&microlite_globals,
};

MP_REGISTER_MODULE(MP_QSTR__microlite, microlite_module);
