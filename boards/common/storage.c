// Storage of the MPS2 boards, in PSRAM and so outside the heap: it survives a soft reset and is
// blank at power-on. mps2.disk is the block device that _boot.py mounts at "/"; vfs.rom_ioctl
// gives access to the ROMFS window, which MicroPython mounts at "/rom".

#include <string.h>

#include "py/mperrno.h"
#include "py/objarray.h"
#include "py/runtime.h"
#include "extmod/vfs.h"

#define DISK_BLOCK_SIZE     (4096)
#define DISK_BLOCKS         (MPS2_DISK_SIZE / DISK_BLOCK_SIZE)

// Return the memory that a block request (self, block, buffer[, offset]) is about.
static void *disk_request(size_t n_args, const mp_obj_t *args, mp_buffer_info_t *bufinfo, int flags) {
    mp_get_buffer_raise(args[2], bufinfo, flags);
    size_t block = mp_obj_get_int(args[1]);
    size_t offset = n_args > 3 ? mp_obj_get_int(args[3]) : 0;
    if (block >= DISK_BLOCKS || offset > DISK_BLOCK_SIZE
        || bufinfo->len > MPS2_DISK_SIZE - block * DISK_BLOCK_SIZE - offset) {
        mp_raise_OSError(MP_EINVAL);
    }
    return (uint8_t *)MPS2_DISK_ADDR + block * DISK_BLOCK_SIZE + offset;
}

static mp_obj_t disk_readblocks(size_t n_args, const mp_obj_t *args) {
    mp_buffer_info_t bufinfo;
    void *src = disk_request(n_args, args, &bufinfo, MP_BUFFER_WRITE);
    memcpy(bufinfo.buf, src, bufinfo.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(disk_readblocks_obj, 3, 4, disk_readblocks);

static mp_obj_t disk_writeblocks(size_t n_args, const mp_obj_t *args) {
    mp_buffer_info_t bufinfo;
    void *dest = disk_request(n_args, args, &bufinfo, MP_BUFFER_READ);
    memcpy(dest, bufinfo.buf, bufinfo.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(disk_writeblocks_obj, 3, 4, disk_writeblocks);

static mp_obj_t disk_ioctl(mp_obj_t self, mp_obj_t op, mp_obj_t arg) {
    (void)self;
    (void)arg;
    switch (mp_obj_get_int(op)) {
        case MP_BLOCKDEV_IOCTL_BLOCK_COUNT:
            return MP_OBJ_NEW_SMALL_INT(DISK_BLOCKS);
        case MP_BLOCKDEV_IOCTL_BLOCK_SIZE:
            return MP_OBJ_NEW_SMALL_INT(DISK_BLOCK_SIZE);
        case MP_BLOCKDEV_IOCTL_INIT:
        case MP_BLOCKDEV_IOCTL_DEINIT:
        case MP_BLOCKDEV_IOCTL_SYNC:
        case MP_BLOCKDEV_IOCTL_BLOCK_ERASE:
            return MP_OBJ_NEW_SMALL_INT(0);
        default:
            return mp_const_none;
    }
}
static MP_DEFINE_CONST_FUN_OBJ_3(disk_ioctl_obj, disk_ioctl);

static const mp_rom_map_elem_t disk_locals_table[] = {
    { MP_ROM_QSTR(MP_QSTR_readblocks), MP_ROM_PTR(&disk_readblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_writeblocks), MP_ROM_PTR(&disk_writeblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_ioctl), MP_ROM_PTR(&disk_ioctl_obj) },
};
static MP_DEFINE_CONST_DICT(disk_locals, disk_locals_table);

static MP_DEFINE_CONST_OBJ_TYPE(disk_type, MP_QSTR_RamDisk, MP_TYPE_FLAG_NONE, locals_dict, &disk_locals);

static const mp_obj_base_t disk_obj = {&disk_type};

static const mp_rom_map_elem_t mps2_globals_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_mps2) },
    { MP_ROM_QSTR(MP_QSTR_disk), MP_ROM_PTR(&disk_obj) },
};
static MP_DEFINE_CONST_DICT(mps2_globals, mps2_globals_table);

const mp_obj_module_t mps2_module = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&mps2_globals,
};

MP_REGISTER_MODULE(MP_QSTR_mps2, mps2_module);

static const mp_obj_array_t romfs_obj = {
    {&mp_type_memoryview}, 'B', 0, MPS2_ROMFS_SIZE, (void *)MPS2_ROMFS_ADDR
};

// rom_ioctl(command[, segment[, length or offset[, buffer]]]); a negative result is an error.
mp_obj_t __wrap_mp_vfs_rom_ioctl(size_t n_args, const mp_obj_t *args) {
    mp_int_t command = mp_obj_get_int(args[0]);
    if (command == MP_VFS_ROM_IOCTL_GET_NUMBER_OF_SEGMENTS) {
        return MP_OBJ_NEW_SMALL_INT(1);
    }
    if (n_args < 2 || mp_obj_get_int(args[1]) != 0) {
        return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
    if (command == MP_VFS_ROM_IOCTL_GET_SEGMENT) {
        return MP_OBJ_FROM_PTR(&romfs_obj);
    }
    if (command == MP_VFS_ROM_IOCTL_WRITE_PREPARE && n_args == 3) {
        size_t len = mp_obj_get_int(args[2]);
        return MP_OBJ_NEW_SMALL_INT(len <= MPS2_ROMFS_SIZE ? 1 : -MP_EINVAL);
    }
    if (command == MP_VFS_ROM_IOCTL_WRITE && n_args == 4) {
        size_t offset = mp_obj_get_int(args[2]);
        mp_buffer_info_t bufinfo;
        mp_get_buffer_raise(args[3], &bufinfo, MP_BUFFER_READ);
        if (offset <= MPS2_ROMFS_SIZE && bufinfo.len <= MPS2_ROMFS_SIZE - offset) {
            memcpy((uint8_t *)MPS2_ROMFS_ADDR + offset, bufinfo.buf, bufinfo.len);
            return MP_OBJ_NEW_SMALL_INT(0);
        }
    }
    if (command == MP_VFS_ROM_IOCTL_WRITE_COMPLETE) {
        return MP_OBJ_NEW_SMALL_INT(0);
    }
    return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
}
